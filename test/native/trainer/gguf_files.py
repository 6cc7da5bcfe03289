"""GGUF files of tiny models, as they are exported and with other metadata."""

from __future__ import annotations

from pathlib import Path

import gguf

from anchor_trainer.export_gguf import export_folder


def exported(folder: Path, out: Path, file_type: str = "f32") -> Path:
    export_folder(folder, out, file_type)
    return out


def changed(path: Path, out: Path, **changes: object) -> Path:
    """The same GGUF with other metadata, `__` for a dot; without an entry where it is None."""
    reader = gguf.GGUFReader(path)
    fields = {
        name: (field.contents(), field.types[0], field.types[-1])
        for name, field in reader.fields.items()
        if not name.startswith("GGUF.")
    }
    for name, value in changes.items():
        key = name.replace("__", ".")
        kind = {str: gguf.GGUFValueType.STRING, list: gguf.GGUFValueType.ARRAY}.get(
            type(value), gguf.GGUFValueType.UINT32
        )
        _, before, items = fields.pop(key, (None, kind, gguf.GGUFValueType.UINT32))
        same = isinstance(value, list) == (before == gguf.GGUFValueType.ARRAY)
        if value is not None:
            fields[key] = (value, before if same else kind, items)
    writer = gguf.GGUFWriter(out, fields.pop("general.architecture")[0])
    for name, (value, kind, items) in fields.items():
        writer.add_key_value(name, value, kind, sub_type=items if kind == 9 else None)
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return out
