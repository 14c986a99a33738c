#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""read_model.py - reads a model of deeplda, or any safetensors file, with NumPy and nothing else (docs/model_format.md).

    read_model.py FILE        lists what is in it
"""
import json
import sys

import numpy

TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
         "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?"}


def read(path):
    """Returns the metadata, a dict of texts, and the tensors, a dict of arrays."""
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    metadata = header.pop("__metadata__", {})
    arrays = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        arrays[name] = numpy.frombuffer(data[begin:end], TYPES[entry["dtype"]]).reshape(entry["shape"])
    return metadata, arrays


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: read_model.py FILE")
    texts, tensors = read(sys.argv[1])
    for key, text in texts.items():
        print(f"{key}: {text}")
    for tensor_name, array in tensors.items():
        print(tensor_name, array.dtype, list(array.shape))
