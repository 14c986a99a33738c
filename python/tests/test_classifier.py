# SPDX-License-Identifier: MIT
"""DeepLDAClassifier: data of all kinds, callbacks, Ctrl-C, warm starts, files, reports."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from deeplda import DeepLDAClassifier, Model
from deeplda._estimator import NotFittedError


def quick(**settings):
    return DeepLDAClassifier(**{"net": "mlp", "epochs": 2, "batch": 100, "random_state": 0, **settings})


def test_digits(digits):
    X, y, X_test, y_test = digits
    clf = quick(epochs=4).fit(X, y)
    assert clf.score(X_test, y_test) > 0.75
    assert clf.classes_.tolist() == list(range(10)) and clf.predict(X_test).dtype == y.dtype
    assert clf.transform(X_test).shape == (300, 9) == clf.fit_transform(X, y)[:300].shape
    np.testing.assert_allclose(clf.predict_proba(X_test).sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(clf.predict_log_proba(X_test)), clf.predict_proba(X_test))
    assert clf.decision_function(X_test).shape == (300, 10)
    assert len(clf.history_) == 4 and sum(r["best"] for r in clf.history_) >= 1
    assert np.all(np.diff(clf.eigenvalues_) <= 0) and abs(clf.explained_variance_ratio_.sum() - 1) < 1e-9
    assert clf.means_.shape[0] == 10 and clf.scalings_.shape == (clf.means_.shape[1], 9)
    assert clf.n_features_in_ == 784 and clf.image_shape_ == (28, 28, 1)
    assert {option for option, _, _ in clf.choices_} >= {"objective", "schedule"}


def test_no_copy_of_images(digits, monkeypatch):
    """uint8 and float32 images in C order reach the library as they are."""
    from deeplda import _images

    seen = []
    create = _images.Dataset.of_arrays.__func__
    monkeypatch.setattr(
        _images.Dataset,
        "of_arrays",
        classmethod(lambda cls, images, *rest: seen.append(images) or create(cls, images, *rest)),
    )
    for X in (digits[0], digits[0][..., None].astype(np.float32)):
        seen.clear()
        quick(epochs=1).fit(X, digits[1])
        assert np.shares_memory(seen[0], X)


def test_same_seed_same_bits(rows):
    X, y = rows
    a, b, c = (quick(random_state=s, n_jobs=j).fit(X, y).transform(X) for s, j in ((3, 1), (3, 2), (4, 1)))
    np.testing.assert_array_equal(a, b)
    assert not np.array_equal(a, c)
    np.testing.assert_array_equal(quick(random_state=np.random.RandomState(1)).fit(X, y).predict(X).shape, y.shape)


def test_labels_of_all_kinds(rows):
    X, y = rows
    for labels in (np.array(["a", "b", "ü"])[y], y.astype(float), y == 1, y - 1):
        clf = quick().fit(X, labels)
        np.testing.assert_array_equal(clf.classes_, np.unique(labels))
        assert set(np.unique(clf.predict(X))) <= set(np.unique(labels))
        assert (clf.predict(X) == labels).mean() > 0.8
    for labels in (np.array(["", "a", "b"])[y], np.array(["x", "x ", "y"])[y]):  # no names of a model
        assert (quick().fit(X, labels).predict(X) == labels).mean() > 0.8


def test_validation_data_and_early_stopping(rows):
    X, y = rows
    clf = quick(epochs=30, patience=2, tolerance=0).fit(X[:180], y[:180], validation_data=(X[180:], y[180:]))
    assert len(clf.history_) < 30
    assert not np.isnan(clf.history_[0]["validation_accuracy"])
    assert np.isnan(quick(validation=0).fit(X, y).history_[0]["validation_accuracy"])
    with pytest.raises(ValueError, match="not one of the classes"):
        quick().fit(X, y, validation_data=(X, y + 7))


def test_warnings_are_warnings(rows):
    X, y = rows
    with pytest.warns(UserWarning, match="batch"):  # too few samples of each class in a batch
        quick(batch=8, objective="lda").fit(X, y)


def test_callbacks(rows):
    X, y = rows
    seen = []
    clf = quick(epochs=5, callbacks=[seen.append, lambda record: record["epoch"] == 2]).fit(X, y)
    assert [record["epoch"] for record in seen] == [1, 2] and len(clf.history_) == 2

    def fail(record):
        raise RuntimeError("from a callback")

    with pytest.raises(RuntimeError, match="from a callback"):
        quick(callbacks=[fail]).fit(X, y)


def test_ctrl_c_keeps_the_best_model(digits):
    X, y, X_test, _ = digits
    clf = quick(
        epochs=60,
        patience=0,
        options={"measure-every": 1},
        callbacks=[lambda r: r["epoch"] == 2 and os.kill(os.getpid(), signal.SIGINT) and None],
    )
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt, match="best model so far is kept"):
        clf.fit(X, y)
    assert signal.getsignal(signal.SIGINT) is before
    assert 2 <= len(clf.history_) < 60 and clf.predict(X_test).shape == (300,)


def test_ctrl_c_before_there_is_a_model(rows):
    """Nothing is measured before epoch 50: the estimator stays as it was, fitted or not."""
    X, y = rows
    late = {
        "epochs": 100,
        "options": {"measure-every": 50},
        "callbacks": [lambda r: r["epoch"] == 2 and os.kill(os.getpid(), signal.SIGINT) and None],
    }
    clf = quick(**late)
    with pytest.raises(KeyboardInterrupt, match="after 2 complete epochs.* no model"):
        clf.fit(X, y)
    with pytest.raises(NotFittedError):
        clf.predict(X)
    clf = quick().fit(X, y)
    before = clf.predict_proba(X)
    with pytest.raises(KeyboardInterrupt):
        clf.set_params(**late).fit(X[:, :4], np.array(list("abc"))[y])
    assert clf.classes_.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(clf.predict_proba(X), before)


def test_handlers_of_the_host_program(rows):
    """What a handler of Ctrl-C raises ends the training; one that raises nothing lets it go on."""

    class Enough(Exception):
        pass

    def raising(_number, _frame):
        raise Enough

    seen = []
    before = signal.getsignal(signal.SIGINT)
    clf = quick(epochs=4, callbacks=[lambda r: r["epoch"] == 1 and os.kill(os.getpid(), signal.SIGINT) and None])
    try:
        signal.signal(signal.SIGINT, raising)
        with pytest.raises(Enough):
            clf.fit(*rows)
        assert len(clf.history_) < 4 and signal.getsignal(signal.SIGINT) is raising
        signal.signal(signal.SIGINT, lambda number, _frame: seen.append(number))
        assert len(clf.fit(*rows).history_) == 4 and seen == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


def test_interpreter_lock_is_released(digits):
    X, y, _, _ = digits
    counted = [0]
    done = threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    begun = time.monotonic()
    quick(epochs=5).fit(X, y)
    seconds = time.monotonic() - begun
    done.set()
    thread.join()
    assert counted[0] > 50 * seconds


def test_warm_start_and_portions(rows):
    X, y = rows
    clf = quick(epochs=3, warm_start=True, validation=0).fit(X, y)
    first = clf.history_[-1]["loss"]
    clf.set_params(rate=1e-6).fit(X, y)
    assert abs(clf.history_[0]["loss"] - first) < 0.5 * abs(first) + 0.3
    portions = quick()
    for i in range(4):
        portions.partial_fit(X[i * 60 : i * 60 + 60], y[i * 60 : i * 60 + 60], classes=[0, 1, 2])
    assert len(portions.history_) == 4 and portions.score(X, y) > 0.8
    with pytest.raises(ValueError, match="not one of the classes"):
        portions.partial_fit(X[:60], y[:60] + 1)


def test_two_classes(rows):
    X, y = rows[0][rows[1] < 2], rows[1][rows[1] < 2]
    clf = quick().fit(X, y)
    scores = clf.decision_function(X)
    assert scores.shape == (160,)
    np.testing.assert_array_equal(clf.predict(X), (scores > 0).astype(int))


def test_files(trained, rows, tmp_path):
    X, _ = rows
    trained.save(tmp_path / "m.safetensors")
    for again in (DeepLDAClassifier.load(tmp_path / "m.safetensors"), pickle.loads(pickle.dumps(trained))):
        np.testing.assert_array_equal(again.predict_proba(X), trained.predict_proba(X))
        np.testing.assert_array_equal(again.classes_, trained.classes_)
    np.testing.assert_array_equal(Model.load(tmp_path / "m.safetensors").embed(X), trained.transform(X))
    trained.export_onnx(tmp_path / "m.onnx")
    assert (tmp_path / "m.onnx").exists()


def test_one_more_class(trained, rows):
    X, _ = rows
    clf = pickle.loads(pickle.dumps(trained))
    clf.add_class(X[:20] - 8, 7)
    assert clf.classes_.tolist() == [0, 1, 2, 7]
    assert (clf.predict(X[20:40] - 8) == 7).all()
    with pytest.raises(ValueError, match="already"):
        clf.add_class(X[:20], 7)


def test_compressed_files(tmp_path):
    np.savez_compressed(tmp_path / "zeros.npz", x=np.zeros((4000, 10, 10), np.uint8), y=np.arange(4000) % 2)
    with pytest.raises(ValueError, match="takes more than 100000 bytes"):
        DeepLDAClassifier(most_bytes=100000).fit(tmp_path / "zeros.npz")


def test_pictures(tmp_path):
    rng = np.random.default_rng(0)
    plt = pytest.importorskip("matplotlib.image")
    paths, labels = [], []
    for i in range(80):
        image = rng.integers(0, 60, (12 + i % 3, 12, 3), dtype=np.uint8)
        image[:, :6] += np.uint8(150) * (i % 2)
        (tmp_path / "set" / f"{i % 2}").mkdir(parents=True, exist_ok=True)
        path = tmp_path / "set" / f"{i % 2}" / f"{i}.png"
        plt.imsave(path, image)
        paths.append(path)
        labels.append(["dark", "bright"][i % 2])
    clf = DeepLDAClassifier(epochs=3, batch=20, options={"resize": (12, 12)}).fit(paths, labels)
    assert clf.score(paths, labels) > 0.9
    assert (clf.predict([str(path) for path in paths[:4]]) == labels[:4]).all()
    folder = DeepLDAClassifier(epochs=3, batch=20).fit(tmp_path / "set")
    assert folder.classes_.tolist() == [0, 1]
    assert folder.model_.evaluate(tmp_path / "set").accuracy > 0.9
    (tmp_path / "bad.png").write_bytes(b"no picture")
    with pytest.raises(ValueError, match="bad.png"):
        clf.predict([paths[0], tmp_path / "bad.png"])
    for least in (paths, tmp_path / "set"):
        with pytest.raises(ValueError, match="expected at most 99 in all"):
            DeepLDAClassifier(most_pixels=99).fit(least, labels if least is paths else None)
    clf.model_.most_pixels = 99
    copy = pickle.loads(pickle.dumps(clf.model_))
    for model in (clf, copy):
        with pytest.raises(ValueError, match="expected at most 99 in all"):
            model.predict(paths[:1])
    clf.model_.most_pixels = None
    with pytest.raises(FileNotFoundError):
        clf.predict(["none.png"])
    with pytest.raises(FileNotFoundError):
        DeepLDAClassifier().fit([*paths[:-1], "none.png"], labels)


def test_run_folder(rows, tmp_path, program):
    quick(run_folder=tmp_path / "run").fit(*rows)
    assert (tmp_path / "run" / "history.csv").exists()
    shown = subprocess.run([program, "info", str(tmp_path / "run")], capture_output=True, text=True, check=True)
    assert "dense" in shown.stdout
    with pytest.raises(FileExistsError):
        quick(run_folder=tmp_path / "run").fit(*rows)


def test_report_and_plots(trained, rows, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    from deeplda import plot

    X, y = rows
    assert len(plot.learning_curves(trained).lines) >= 2
    assert len(plot.eigenvalues(trained).patches) == 2
    assert len(plot.directions(trained, X, y)) == 2
    assert len(plot.projection(trained, X, y).collections) == 3
    texts = [int(t.get_text()) for t in plot.confusion(trained, X, y).texts]
    assert sum(texts) == len(y)
    trained.report(tmp_path / "report.html", X, y)
    page = (tmp_path / "report.html").read_text()
    assert page.count("<img") == 5 and "accuracy on these samples" in page


def test_summary_for_notebooks(trained):
    assert "eigenvalues" in trained._repr_html_() and "<table>" in trained._repr_html_()
    assert "<table>" not in DeepLDAClassifier()._repr_html_()


def test_progress(rows, capsys):
    quick(verbose=1).fit(*rows)
    shown = capsys.readouterr().err
    assert "epoch" in shown and "train" in shown


def test_what_is_refused(rows):
    X, y = rows
    with pytest.raises(NotFittedError):
        DeepLDAClassifier().predict(X)
    for settings, words in [
        ({"objective": "nothing"}, "objective"),
        ({"epochs": 0}, "epochs"),
        ({"net": "nowhere.net"}, "nowhere.net"),
        ({"options": {"no-such": 1}}, "no-such"),
    ]:
        with pytest.raises((ValueError, OSError), match=words):
            quick(**settings).fit(X, y)
    with pytest.raises(ValueError, match="labels of its own"):
        quick().fit("digits", y)
    with pytest.raises(ValueError):
        quick().fit(np.full_like(X, np.nan), y)
    with pytest.raises(ValueError, match="[Cc]lass"):
        quick().fit(X, np.zeros(len(X)))


def test_without_scikit_learn(tmp_path):
    """NumPy is all that is needed."""
    code = """
import sys
sys.modules["sklearn"] = None
import numpy as np
from deeplda import DeepLDAClassifier, LinearDiscriminantAnalysis
rng = np.random.default_rng(0)
y = np.arange(240) % 3
X = rng.normal(size=(240, 6)) + 2 * np.eye(6)[y]
for estimator in (LinearDiscriminantAnalysis(), DeepLDAClassifier(epochs=3, batch=80)):
    assert estimator.fit(X, y).score(X, y) > 0.8
    assert estimator.fit_transform(X, y).shape == (240, 2)
    assert "tol" in estimator.get_params() or "net" in estimator.get_params()
    print(estimator.set_params(n_jobs=1))
    for bad in (lambda: estimator.predict(X[:, :2]), lambda: type(estimator)().predict(X), lambda: estimator.fit(X, y[:3])):
        try:
            bad()
        except ValueError:
            pass
        else:
            raise AssertionError(bad)
assert not any(name.startswith("sklearn.") for name in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "LinearDiscriminantAnalysis(n_jobs=1)",
        "DeepLDAClassifier(epochs=3, batch=80, n_jobs=1)",
    ]


def test_mistakes_with_images(trained, digits, tmp_path):
    """What is easily done wrong is said in terms of what was passed."""
    X, y, X_test, _ = digits
    clf = quick(epochs=1).fit(X, y)
    with pytest.raises(ValueError, match="one image.*X\\[None\\]"):
        clf.predict(X_test[0])
    bad = X_test.astype(np.float32)
    bad[3, 2, 2] = np.nan
    with pytest.raises(ValueError, match="X contains NaN"):
        clf.predict(bad)
    with pytest.warns(UserWarning, match="channels come first"):
        quick(epochs=1).fit(np.repeat(X[:, None], 3, axis=1), y)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        clf.fit("nowhere/")
    for wrong in ((X_test,), X_test, 3):
        with pytest.raises(ValueError, match="validation_data must be"):
            clf.fit(X, y, validation_data=wrong)
    assert clf.add_class(255 - X[:20], "inverse").classes_.tolist() == [*range(10), "inverse"]


def test_validation_data_of_a_path(digits, tmp_path):
    X, y, X_test, y_test = digits
    np.savez(tmp_path / "test.npz", X=X_test, y=y_test)
    by_path = quick().fit(X, y, validation_data=tmp_path / "test.npz")
    in_memory = quick().fit(X, y, validation_data=(X_test, y_test))
    assert [r["validation_accuracy"] for r in by_path.history_] == [r["validation_accuracy"] for r in in_memory.history_]
