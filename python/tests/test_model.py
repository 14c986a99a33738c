# SPDX-License-Identifier: MIT
"""Models: the same bits as the program's, bytes, threads, forks, other heads, pictures."""

import json
import os
import pickle
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, read_digits

from deeplda import DeepLDAClassifier, Model


@pytest.fixture(scope="module")
def run(program, tmp_path_factory):
    """A run of the program on the embedded digits."""
    folder = tmp_path_factory.mktemp("model") / "run"
    subprocess.run(
        [program, "train", "digits", "--net", "mlp", "--epochs", "2", "--seed", "4", "-q", "-o", str(folder)],
        check=True,
        capture_output=True,
    )
    return folder


@pytest.fixture(scope="module")
def model(run):
    return Model.load(run)


def test_same_bits_as_the_program(program, run, model, tmp_path):
    X, _ = read_digits("t10k")
    subprocess.run([program, "embed", str(run), "-o", str(tmp_path / "Z.npy")], check=True, capture_output=True)
    np.testing.assert_array_equal(model.embed(X), np.load(tmp_path / "Z.npy"))
    assert model.to_bytes() == (run / "model.safetensors").read_bytes()


ANSWERS_IN_C = """
#include <deeplda_lda.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words) /* MODEL IMAGES N: labels, probabilities and projections of N images, as binary numbers */
{
    dlda_model *model = NULL;
    dlda_workspace *workspace = NULL;
    dlda_answers answers = { 0 };
    size_t n = count > 3 ? (size_t)atol(words[3]) : 0, directions = 0;

    if (dlda_model_load(words[1], &model) || dlda_workspace_create(model, 250, 1, &workspace)) return 1;
    size_t pixels = dlda_model_image_size(model), classes = (size_t)dlda_model_classes(model);
    (void)dlda_lda_eigenvalues(dlda_model_lda(model), &directions);
    float *images = malloc(n * pixels * sizeof *images);
    answers.labels = malloc(n * sizeof *answers.labels);
    answers.proba = malloc(n * classes * sizeof *answers.proba);
    answers.projections = malloc(n * directions * sizeof *answers.projections);
    FILE *file = fopen(words[2], "rb");
    if (!file || fread(images, sizeof *images, n * pixels, file) != n * pixels) return 2;
    if (dlda_model_answer(model, workspace, images, n, DLDA_PROBABILITY_BAYES, &answers)) return 3;
    fwrite(answers.labels, sizeof *answers.labels, n, stdout);
    fwrite(answers.proba, sizeof *answers.proba, n * classes, stdout);
    fwrite(answers.projections, sizeof *answers.projections, n * directions, stdout);
    return 0;
}
"""


@pytest.fixture(scope="module")
def answers_in_c(program, tmp_path_factory):
    """A C program on the library that the program is made of."""
    folder = tmp_path_factory.mktemp("c")
    library = Path(program).resolve().parents[1] / "src"
    (folder / "answers.c").write_text(ANSWERS_IN_C)
    command = [
        "gcc",
        "answers.c",
        f"-I{ROOT / 'include'}",
        f"-L{library}",
        f"-Wl,-rpath,{library}",
        "-ldeeplda",
        "-o",
        "answers",
    ]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "answers"


@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="the C program is linked without a sanitizer")
@pytest.mark.parametrize("net", ["mlp", "cnn"])
def test_same_bits_from_shell_c_and_python(net, program, answers_in_c, tmp_path):
    """Classes, posteriors and coordinates of 300 digits, by the same model file."""
    X, n = read_digits("t10k")[0][:300], 300
    np.save(tmp_path / "X.npy", X)
    (X / np.float32(255)).tofile(tmp_path / "images")

    def run(*words):
        return subprocess.run([str(word) for word in words], check=True, capture_output=True, cwd=tmp_path).stdout

    run(program, "train", "digits", "--net", net, "--epochs", 1, "--batch", 500, "-q", "-o", "run")
    lines = [
        json.loads(line) for line in run(program, "predict", "run", "X.npy", "--proba", "bayes", "--json").splitlines()
    ]
    run(program, "embed", "run", "X.npy", "-o", "Z.npy")
    model = Model.load(tmp_path / "run")
    c = run(answers_in_c, "run/model.safetensors", "images", n)
    labels, proba, Z = np.split(np.frombuffer(c, np.int32), [n, n + n * len(model.classes)])

    answers = model.answer(X, "labels", "proba", "projections")
    np.testing.assert_array_equal(answers["labels"], labels)
    np.testing.assert_array_equal(model.predict(X), [line["class"] for line in lines])
    np.testing.assert_array_equal(answers["proba"], proba.view(np.float32).reshape(n, -1))
    shell = [[line["probabilities"][name] for name in model.classes] for line in lines]
    np.testing.assert_array_equal(answers["proba"], np.array(shell, np.float32))
    np.testing.assert_array_equal(answers["projections"], Z.view(np.float32).reshape(n, -1))
    np.testing.assert_array_equal(answers["projections"], np.load(tmp_path / "Z.npy"))


def test_training_from_python_gives_the_same_model(program, tmp_path):
    X, y = read_digits("train")
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    settings = {"net": "mlp", "epochs": 2, "batch": 200, "seed": 9}
    words = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
    run = tmp_path / "run"
    subprocess.run(
        [program, "train", str(tmp_path / "X.npy"), *words, "-q", "-o", str(run)], check=True, capture_output=True
    )
    clf = DeepLDAClassifier(net="mlp", epochs=2, batch=200, random_state=9).fit(X, y)
    theirs = Model.load(run)
    np.testing.assert_array_equal(clf.model_.embed(X, raw=True), theirs.embed(X, raw=True))
    np.testing.assert_array_equal(clf.model_.predict_proba(X), theirs.predict_proba(X))


def test_layouts_of_images(model, digits):
    _, _, X, _ = digits
    expected = model.embed(X)
    for same in (X[..., None], X.reshape(len(X), -1), X.astype(np.float32) / np.float32(255), X[:, ::-1][:, ::-1]):
        np.testing.assert_allclose(model.embed(same), expected, rtol=1e-5, atol=1e-5)
    assert model.embed(X[:0]).shape == (0, expected.shape[1])
    for wrong in (X[:, :5], X[0], np.zeros((2, 28, 28, 3))):
        with pytest.raises(ValueError, match="expected"):
            model.predict(wrong)


def test_answers(model, digits):
    _, _, X, y = digits
    answers = model.answer(X, "labels", "proba", "scores", "distances", "features", "projections", "p_values")
    np.testing.assert_array_equal(answers["labels"], answers["scores"].argmax(axis=1))
    np.testing.assert_allclose(answers["proba"].sum(axis=1), 1, rtol=1e-5)
    assert answers["features"].shape == (300, model.n_features)
    assert np.all(answers["distances"] >= 0) and np.all((answers["p_values"] >= 0) & (answers["p_values"] <= 1))
    np.testing.assert_array_equal(model.predict(X), np.asarray(model.classes)[answers["labels"]])
    assert not np.array_equal(model.predict_proba(X, "paper"), answers["proba"])
    with pytest.raises(ValueError, match="cce"):
        model.predict_proba(X, "softmax")
    with pytest.raises(ValueError, match="kind of probability"):
        model.predict_proba(X, "guess")


def test_evaluation(model, digits):
    _, _, X, y = digits
    result = model.evaluate(X, y)
    assert result.samples == 300 and result.confusion.sum() == 300
    assert result.accuracy == (model.predict(X) == y.astype(str)).mean() == np.trace(result.confusion) / 300
    assert 0.7 < model.evaluate("digits").accuracy < 1
    with pytest.raises(ValueError, match="not one of the model's classes"):
        model.evaluate(X, ["x"] * 300)


def test_bytes_and_files(model, digits, tmp_path):
    X = digits[2]
    expected = model.embed(X)
    model.save(tmp_path / "m.safetensors")
    for again in (
        Model.from_bytes(model.to_bytes()),
        Model.load(tmp_path / "m.safetensors"),
        pickle.loads(pickle.dumps(model)),
    ):
        np.testing.assert_array_equal(again.embed(X), expected)
    model.export_onnx(tmp_path / "m.onnx")
    assert (tmp_path / "m.onnx").stat().st_size > 100000
    damaged = bytearray(model.to_bytes())
    del damaged[-1000:]
    with pytest.raises(ValueError):
        Model.from_bytes(bytes(damaged))


def test_what_it_is(model):
    assert model.image_shape == (28, 28, 1) and model.classes == [str(i) for i in range(10)]
    assert model.options["seed"] == 4 and "dense" in model.network
    assert "classes: 0, 1" in model.info() and "28 x 28 x 1" in repr(model)
    assert model.n_parameters > 10000 and model.preparation == "scale"
    assert np.all(np.diff(model.eigenvalues) <= 0) and model.lda_array("means").shape == (10, model.n_features)


def test_other_heads(model, digits):
    X, y, X_test, y_test = digits
    refitted = model.refit(X[y < 5], y[y < 5])
    assert refitted.classes == [str(i) for i in range(10)]  # the model's names stay
    named = model.refit(X, np.array(["even", "odd"])[y % 2])
    assert named.classes == ["even", "odd"] and named.evaluate(X_test, np.array(["even", "odd"])[y_test % 2]).accuracy > 0.7
    more = model.add_class(255 - X[:40], "inverse")
    assert more.classes[-1] == "inverse" and (more.predict(255 - X[40:80]) == "inverse").mean() > 0.8
    priors = np.full(10, 0.01)
    priors[3] = 0.91
    assert (model.use_priors(priors).predict(X_test) == "3").sum() > (model.predict(X_test) == "3").sum()
    assert (
        model.calibrate(X_test, y_test).evaluate(X_test, y_test).log_loss <= model.evaluate(X_test, y_test).log_loss + 1e-6
    )
    with pytest.raises(ValueError, match="priors"):
        model.use_priors([1])


def test_many_threads(model, digits):
    X = digits[2]
    expected, wrong = model.embed(X), []

    def work():
        for _ in range(5):
            if not np.array_equal(model.embed(X), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_after_fork(model, digits):
    X = digits[2]
    expected = model.embed(X)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(model.embed(X), expected) else 1)
    assert os.waitpid(child, 0)[1] == 0
    np.testing.assert_array_equal(model.embed(X), expected)
