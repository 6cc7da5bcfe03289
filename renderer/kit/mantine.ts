/** The components of the kit's library that rooms may use; another library would replace this file's folder and nothing else. */
export {
  ActionIcon, Alert, Anchor, Badge, Box, Button, Checkbox, Chip, Code, Collapse, Divider, Drawer, Fieldset, FileButton, Group, Input, Kbd, Loader, Menu, Modal,
  MultiSelect, NativeSelect, NumberInput, Paper, PasswordInput, Popover, Progress, Radio, RangeSlider, ScrollArea, SegmentedControl, Select, SimpleGrid, Skeleton, Slider, Stack,
  Stepper, Switch, Table, Tabs, TagsInput, Text, Textarea, TextInput, Title, Tooltip, VisuallyHidden, UnstyledButton, useMantineColorScheme, useComputedColorScheme,
} from '@mantine/core';
export type { TextInputProps } from '@mantine/core';
export { useDebouncedValue, useElementSize, useHover, useInterval, useMediaQuery, useReducedMotion, useResizeObserver, useDisclosure } from '@mantine/hooks';
