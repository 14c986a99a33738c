# SPDX-License-Identifier: MIT
"""Grid search and cross-validation by scikit-learn, in two processes."""

from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from deeplda import DeepLDAClassifier, LinearDiscriminantAnalysis


def main():
    X, y = load_digits(return_X_y=True)
    lda = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis())
    print(f"LDA: {100 * cross_val_score(lda, X, y, cv=3).mean():.1f} %")
    # One thread for each process; in the grid, any parameter of the network.
    deep = DeepLDAClassifier(net="mlp", epochs=10, random_state=0, n_jobs=1)
    grid = {"objective": ["lda-log", "lda-bayes"], "rate": [0.03, 0.1]}
    search = GridSearchCV(deep, grid, cv=3, n_jobs=2).fit(X, y)
    print(f"DeepLDA: {100 * search.best_score_:.1f} % with {search.best_params_}")


if __name__ == "__main__":
    main()
