#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Models of several kinds, trained for a moment and exported: are the files well-formed, and do they say what
`deeplda predict` says?

    tests/onnx/agree.py PROGRAM

onnx.checker looks at the structure; a NumPy interpreter and ONNX Runtime (through Node.js; tools/install-onnxruntime
brings it) give the answers. Where ONNX Runtime cannot be had, the NumPy interpreter does all, and a line says so.
"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    from onnx import checker, shape_inference
except ImportError as missing:
    print(f"skipped: {missing} (Debian: python3-onnx)")
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "tools")]
import numpy_graph  # noqa: E402
import onnx_runtime  # noqa: E402

LARGEST, FEW = 1e-4, 60  # of a probability; images for NumPy beside ONNX Runtime
PADDED = "conv 12 3 pad 1\nmaxpool 2\ndropout 0.25\nconv 16 3\nconv 16 3 pad 1\nmaxpool 2\nconv 24 1\nconv 10 1\ngap\n"
# Batch norm that follows no convolution, windows that overlap, and a convolution behind a dense layer.
ODD = ("conv 8 5 stride 2 linear\nrelu\nbn\nmaxpool 3 stride 2\ndense 30\nbn\nrelu\ndropout 0.1\nconv 20 1\nmaxpool 1\n"
       "dense 12\nrelu\nbn\ngap\n")
SPATIAL = "conv 6 3 stride 2 pad 1\nmaxpool 2\nconv 4 3\n"  # features are 5 x 5 x 4
COLOURED = "conv 8 3 pad 1\nmaxpool 2\nconv 6 2 linear\ndense 16\nbn\nrelu\ndense 5\n"
NORM_FIRST = "bn\nconv 8 3 pad 1\nmaxpool 4\ndense 10\n"
CASES = [  # name, network, data, options of train
    ("lda", PADDED, "digits", []),
    ("cce", PADDED, "digits", ["--objective", "cce"]),
    ("standardise", ODD, "digits", ["--prepare", "standardise"]),
    ("gcn", NORM_FIRST, "digits", ["--prepare", "gcn", "--gcn-bias", "10"]),
    ("whitened", SPATIAL, "digits", ["--prepare", "gcn,zca"]),
    ("coloured", COLOURED, "coloured", ["--prepare", "standardise,gcn,zca"]),
]
RANDOM = np.random.default_rng(1)
failures = 0


def check(good, words):
    global failures
    failures += not good
    print(("ok    " if good else "FAIL  ") + words, flush=True)


def make_coloured(folder):
    """1,000 images of 12 x 10 x 3 to train on, of 4 classes and one image of a fifth, which is never predicted."""
    os.makedirs(folder)
    patterns = RANDOM.uniform(0, 120, (5, 12, 10, 3))
    labels = np.arange(1000) % 4
    labels[7] = 4
    images = patterns[labels] + RANDOM.uniform(0, 135, (1000, 12, 10, 3))
    np.save(os.path.join(folder, "X.npy"), images.astype(np.uint8))
    np.save(os.path.join(folder, "y.npy"), labels)
    return images.astype(np.uint8)


def make_images(program, folder):
    """A thousand images of each data set; one in each is of one colour."""
    subprocess.run([program, "data", "convert", "digits", "--to", "npy", "-o", os.path.join(folder, "set")],
                   stdout=subprocess.DEVNULL, check=True)
    images = {"digits": np.load(os.path.join(folder, "set", "X_test.npy")),
              "coloured": make_coloured(os.path.join(folder, "colours"))}
    for name, some in images.items():
        some[1] = 77
        np.save(os.path.join(folder, name + ".npy"), some)
    return images


def train(program, folder, name, net, data, options):
    path, run = os.path.join(folder, name + ".net"), os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(net)
    given = [os.path.join(folder, "colours", "X.npy")] if data == "coloured" else [data, "--subset", "2000"]
    subprocess.run([program, "train", *given, "--net", path, "--epochs", "1", "--batch", "100", "--validation", "0", "-q",
                    "-o", run, *options], stdout=subprocess.DEVNULL, check=True)
    return os.path.join(run, "model.safetensors")


def check_structure(program, path, model, images, name):
    """The file as onnx and as `deeplda info` see it."""
    made = onnx.load(path)
    checker.check_model(made, full_check=True)
    graph = shape_inference.infer_shapes(made, strict_mode=True).graph
    shapes = {value.name: [d.dim_param or d.dim_value for d in value.type.tensor_type.shape.dim]
              for value in [*graph.input, *graph.output]}
    classes = json.loads({entry.key: entry.value for entry in made.metadata_props}["classes"])
    known = json.loads(subprocess.run([program, "info", model, "--json"], stdout=subprocess.PIPE, check=True).stdout)
    check(made.opset_import[0].version == 13 and made.ir_version == 7, f"{name}: opset 13, IR version 7")
    check(classes == known["classes"], f"{name}: class names in the metadata")
    check(shapes["images"] == ["N", *images.shape[1:]] and shapes["probabilities"] == ["N", len(classes)]
          and shapes["label"] == ["N"] and shapes["projection"] == ["N", len(known["eigenvalues"])],
          f"{name}: shapes {shapes}")
    check(("softmax" in shapes) == (known["options"]["objective"] == "cce"), f"{name}: softmax of cross entropy only")
    norms = [node for node in graph.node if node.op_type == "BatchNormalization"]
    check(not norms and not any("Dropout" in node.op_type for node in graph.node), f"{name}: no batch norm, no dropout")
    ours = json.loads(subprocess.run([program, "info", path, "--json"], stdout=subprocess.PIPE, check=True).stdout)
    check(ours["kind"] == "onnx" and ours["opset"] == 13 and ours["operations"] == len(graph.node)
          and {value["name"]: value["shape"] for value in ours["inputs"] + ours["outputs"]} == shapes,
          f"{name}: info says the same")


def check_answers(name, who, expected, outputs):
    largest, others = onnx_runtime.difference(expected, outputs)
    check(largest < LARGEST and others == 0,
          f"{name}: {who}, {len(expected[0])} images: probabilities within {largest:.1e}, {others} other labels")


def check_outputs(name, runtime, path, given, expected):
    """All that NumPy and ONNX Runtime compute."""
    labels, probabilities = expected
    few = FEW if runtime else len(given)
    twin = numpy_graph.run(path, given[:few])
    check_answers(name, "NumPy", (labels[:few], probabilities[:few]), twin)
    if not runtime:
        return twin
    outputs = onnx_runtime.run(runtime, path, given, batch=300)
    check_answers(name, "ONNX Runtime", expected, outputs)
    for other in sorted(set(outputs) - {"probabilities", "label"}):
        error = abs(outputs[other][:few] - twin[other]).max() / max(1, abs(twin[other]).max())
        check(error < 1e-4, f"{name}: ONNX Runtime's {other} is within {error:.1e} of NumPy's")
    return outputs


def check_case(program, runtime, folder, images, case):
    kind, net, data, options = case
    model = train(program, folder, kind, net, data, options)
    given = onnx_runtime.as_input(images[data])
    for proba in ("paper", "bayes") + (("softmax",) if kind == "cce" else ()):
        name, path = f"{kind}, {proba}", os.path.join(folder, f"{kind}-{proba}.onnx")
        subprocess.run([program, "export", model, "-o", path, *onnx_runtime.answered_by(proba)], stdout=subprocess.DEVNULL,
                       check=True)
        check_structure(program, path, model, given, name)
        labels, probabilities = onnx_runtime.predict(program, model, os.path.join(folder, data + ".npy"), proba)
        # The paper's probabilities saturate: those of well separated classes are all alike.
        check(len(set(labels)) > 2 and (proba == "paper" or np.ptp(probabilities) > 0.1),
              f"{name}: there is something to compare")
        outputs = check_outputs(name, runtime, path, given, (labels, probabilities))
        if data == "coloured":
            check((outputs["label"] != 4).all() and outputs["probabilities"][:, 4].max() < 1e-30,
                  f"{name}: a class of one image is never predicted")
    if runtime and kind == "lda":
        single = onnx_runtime.run(runtime, path, given[:3], batch=1)
        check(abs(single["probabilities"] - outputs["probabilities"][:3]).max() < 1e-5, f"{name}: one by one")


def main():
    program = os.path.realpath(sys.argv[1])
    runtime = onnx_runtime.install()
    if not runtime:
        print("ONNX Runtime cannot be had, see stderr: a NumPy interpreter takes its place")
    with tempfile.TemporaryDirectory() as folder:
        images = make_images(program, folder)
        for case in CASES:
            check_case(program, runtime, folder, images, case)
    print(f"{failures} checks failed")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
