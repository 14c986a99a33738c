# SPDX-License-Identifier: MIT
"""Runs the operations of an exported model in NumPy, in double precision: a second opinion where ONNX Runtime is, and
the only one where it is not."""
import numpy as np
import onnx
from numpy.lib.stride_tricks import sliding_window_view
from onnx import numpy_helper


def windows(x, kernel, strides):
    """[N][C][rows][columns][kernel][kernel]"""
    return sliding_window_view(x, kernel, axis=(2, 3))[:, :, ::strides[0], ::strides[1]]


def conv(x, w, b=None, *, kernel_shape, pads, strides):
    top, left, bottom, right = pads
    x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
    y = np.tensordot(windows(x, kernel_shape, strides), w, axes=((1, 4, 5), (1, 2, 3))).transpose(0, 3, 1, 2)
    return y if b is None else y + b[:, None, None]


def max_pool(x, *, kernel_shape, strides):
    return windows(x, kernel_shape, strides).max(axis=(4, 5))


def reshape(x, shape):
    return x.reshape([x.shape[i] if size == 0 else size for i, size in enumerate(shape)])


def softmax(x, *, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


OPERATIONS = {
    "Conv": conv,
    "MaxPool": max_pool,
    "Gemm": lambda x, w, b=0: x @ w + b,
    "MatMul": lambda a, b: a @ b,
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Min": np.minimum,
    "Abs": np.abs, "Neg": np.negative, "Exp": np.exp, "Log": np.log, "Sqrt": np.sqrt, "Less": np.less, "Where": np.where,
    "Relu": lambda x: np.maximum(x, 0),
    "GlobalAveragePool": lambda x: x.mean(axis=(2, 3), keepdims=True),
    "ReduceMean": lambda x, *, axes, keepdims: x.mean(axis=tuple(axes), keepdims=bool(keepdims)),
    "ReduceMin": lambda x, *, axes, keepdims: x.min(axis=tuple(axes), keepdims=bool(keepdims)),
    "ReduceSumSquare": lambda x, *, axes, keepdims: (x * x).sum(axis=tuple(axes), keepdims=bool(keepdims)),
    "Flatten": lambda x, *, axis: x.reshape(len(x), -1),
    "Reshape": reshape,
    "Transpose": lambda x, *, perm: x.transpose(perm),
    "Softmax": softmax,
    "ArgMax": lambda x, *, axis, keepdims: x.argmax(axis=axis),
}


def constant(tensor):
    values = numpy_helper.to_array(tensor)
    return values.astype(np.float64) if values.dtype == np.float32 else values


def run(path, images):
    """All outputs of a model, by name, for images [n][channels][height][width]."""
    graph = onnx.load(path).graph
    values = {tensor.name: constant(tensor) for tensor in graph.initializer}
    values[graph.input[0].name] = images.astype(np.float64)
    for node in graph.node:
        attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        values[node.output[0]] = OPERATIONS[node.op_type](*(values[name] for name in node.input), **attributes)
    return {output.name: values[output.name] for output in graph.output}
