"""BLEU by NLTK and average linkage by scikit-learn, for comparison with electron/core.

Standard input: a JSON list of {"texts", "cut"}. Standard output: for each of them the BLEU of every
text against each later one, row by row, and the number of each text's group.
"""

from __future__ import annotations

import json
import sys

import numpy as np
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from sklearn.cluster import AgglomerativeClustering

SMOOTHING = SmoothingFunction().method1


def answer(texts: list[str], cut: float) -> dict[str, list[float] | list[int]]:
    count = len(texts)
    words = [one.split() for one in texts]
    distances = np.zeros((count, count))
    scores = []
    for i in range(count):
        for j in range(i + 1, count):
            score = float(sentence_bleu([words[j]], words[i], smoothing_function=SMOOTHING))
            scores.append(score)
            distances[i, j] = distances[j, i] = 1 - score
    model = AgglomerativeClustering(
        n_clusters=None, distance_threshold=cut, metric="precomputed", linkage="average"
    )
    return {"bleu": scores, "labels": model.fit_predict(distances).tolist()}


json.dump([answer(**case) for case in json.load(sys.stdin)], sys.stdout)
