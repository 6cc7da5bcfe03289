import { describe, expect, it } from 'vitest';
import { parseSockets, reachesOutside } from '../../../electron/machine/air-gap/process-sockets.ts';
import { readTrace } from '../../../electron/machine/air-gap/self-test.ts';

const TITLE =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const line = (local: string, remote: string, state: string): string =>
  `   0: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0000 100 0 0 10 0\n`;
const of = (protocol: 'tcp' | 'tcp6' | 'udp', local: string, remote: string, state: string) =>
  parseSockets(protocol, TITLE + line(local, remote, state))[0];

describe('a line of /proc/net', () => {
  it('is read with its addresses in the order people write them', () => {
    expect(of('tcp', '0100007F:1F90', '0200A8C0:01BB', '01')).toEqual({
      protocol: 'tcp',
      local: { address: '127.0.0.1', port: 8080 },
      remote: { address: '192.168.0.2', port: 443 },
      isListening: false,
      inode: 4711,
    });
    expect(
      of('tcp6', '00000000000000000000000001000000:0050', 'B80D0120000000000000000002000000:0035', '01'),
    ).toMatchObject({ local: { address: '::1', port: 80 }, remote: { address: '2001:db8::2', port: 53 } });
    expect(
      of('tcp6', '0000000000000000FFFF00000100007F:0050', '00000000000000000000000000000000:0000', '0A')
        ?.local.address,
    ).toBe('127.0.0.1');
    expect(parseSockets('tcp', TITLE)).toEqual([]);
  });

  it.each<[string, 'tcp' | 'tcp6' | 'udp', string, string, string, string | null]>([
    ['a connection to this machine', 'tcp', '0100007F:1F90', '0100007F:9C40', '01', null],
    ['a connection to another machine', 'tcp', '0200A8C0:9C40', '08080808:0035', '01', 'connected'],
    ['an attempt that got no answer yet', 'tcp', '0200A8C0:9C40', '08080808:0035', '02', 'connected'],
    ['a server on loopback', 'tcp', '0100007F:1F90', '00000000:0000', '0A', null],
    ['a server for everybody', 'tcp', '00000000:1F90', '00000000:0000', '0A', 'listening'],
    ['a connected datagram socket', 'udp', '0200A8C0:9C40', '01020304:0035', '01', 'connected'],
    ['a datagram socket for everybody', 'udp', '00000000:14E9', '00000000:0000', '07', 'listening'],
    [
      'IPv6 to this machine',
      'tcp6',
      '00000000000000000000000001000000:0050',
      '00000000000000000000000001000000:9C40',
      '01',
      null,
    ],
  ])('says of %s how it reaches outside', (_what, protocol, local, remote, state, reach) => {
    expect(reachesOutside(of(protocol, local, remote, state) as NonNullable<ReturnType<typeof of>>)).toBe(
      reach,
    );
  });
});

describe('a trace of network calls', () => {
  it('counts calls to other machines and passes over loopback, files and the kernel', () => {
    const reading = readTrace(
      [
        '100 execve("/usr/bin/node", ["node"], 0x7ffe /* 20 vars */) = 0',
        '100 execve("/nowhere", ["x"], 0x7ffe) = -1 ENOENT (No such file or directory)',
        '101 connect(3, {sa_family=AF_INET, sin_port=htons(9), sin_addr=inet_addr("127.0.0.2")}, 16) = -1 ECONNREFUSED (Connection refused)',
        '101 connect(4, {sa_family=AF_UNIX, sun_path="/run/x"}, 110) = 0',
        '102 bind(5, {sa_family=AF_NETLINK, nl_pid=0}, 12) = 0',
        '102 connect(6, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("192.0.2.1")}, 16) = 0',
        '103 sendto(7, "x", 1, 0, {sa_family=AF_INET6, inet_pton(AF_INET6, "2001:db8::1", &sin6_addr)}, 28) = 1',
      ].join('\n'),
    );
    expect(reading).toMatchObject({ outsideCount: 2, loopback: 1, programs: 1 });
    expect(reading.outside[0]).toContain('192.0.2.1');
  });
});
