# SPDX-License-Identifier: MIT
"""The class of one image by ONNX Runtime, as the shortest script does it, for start_up.py.

    onnx_predict.py MODEL.onnx
"""
import sys

import numpy
import onnxruntime

session = onnxruntime.InferenceSession(sys.argv[1])
image = session.get_inputs()[0]
print(session.run(["label"], {image.name: numpy.random.rand(1, *image.shape[1:]).astype("f4")})[0])
