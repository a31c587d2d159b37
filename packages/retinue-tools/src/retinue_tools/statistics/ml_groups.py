"""Unsupervised learning on tables: clusters, components, anomalies."""

from typing import Annotated, Any, Literal, NotRequired

import numpy as np
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.decomposition import PCA
from sklearn.ensemble import IsolationForest
from sklearn.metrics import silhouette_score
from sklearn.neighbors import LocalOutlierFactor
from sklearn.preprocessing import StandardScaler
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics._rows import Names, Rows, complete, encoding
from retinue_tools.statistics._values import Seed, compute, figure, number

_BLOBS = [{"x": x + dx, "y": y + dy} for x, y in ((0, 0), (10, 10)) for dx in (0, 1) for dy in (0, 1)]
_LINE = [{"a": t, "b": 2 * t} for t in range(1, 6)]
_FEWEST_ROWS = 5
_ODD = [{"x": t % 5, "y": t % 3} for t in range(30)] + [{"x": 100, "y": -80}]
Features = Annotated[
    Names, About("Columns to use; text columns are split into one column for each value", ["weight", "power"])
]
Scale = Annotated[bool, About("Whether to standardise every column to mean 0 and deviation 1 first")]


def _matrix(rows: list[dict[str, Any]], features: list[str], *, scale: bool) -> tuple[np.ndarray, list[str]]:
    full_rows = complete(rows, features)
    if len(full_rows) != len(rows):
        raise ToolError(f"{len(rows) - len(full_rows)} rows lack a value. Fill or omit them first.")
    coded = encoding(rows, features, reference=False)
    matrix = coded.matrix(rows)
    return (StandardScaler().fit_transform(matrix) if scale else matrix), coded.terms


class Cluster(TypedDict):
    """A cluster."""

    cluster: Annotated[int, About("Cluster number, from 1")]
    size: Annotated[int, About("Number of rows")]
    centre: Annotated[dict[str, float], About("Mean of each column, in its original units")]


class Clusters(TypedDict):
    """Result of clustering."""

    assignments: Annotated[list[int], About("Cluster of each row, from 1 by size; 0 for noise")]
    clusters: Annotated[list[Cluster], About("Largest first, at most 200")]
    silhouette: Annotated[
        float | None, About("Silhouette from -1 to 1, high for well separated clusters; null if not defined")
    ]
    tried: NotRequired[
        Annotated[dict[str, float], About("Silhouette by number of clusters, if the number was chosen automatically")]
    ]


@tool(
    tags="cluster k-means dbscan hierarchical segment grouping unsupervised silhouette customers machine learning",
    use_when=(
        "Group these customers by age and spending",
        "Find clusters in these points and say how many there are",
        "Cluster with DBSCAN and mark the noise",
    ),
    examples=(
        Example(
            {"rows": _BLOBS, "features": ["x", "y"], "count": 2},
            {"assignments": [1, 1, 1, 1, 2, 2, 2, 2], "clusters": [{"size": 4, "centre": {"x": 0.5, "y": 0.5}},
                                                                   {"centre": {"x": 10.5, "y": 10.5}}]},
            source="by hand: two squares far apart",
        ),
        Example(
            {"rows": [*_BLOBS, {"x": 50, "y": -50}], "features": ["x", "y"], "method": "dbscan", "radius": 1.5,
             "scale": False, "neighbours": 3},
            {"assignments": [1, 1, 1, 1, 2, 2, 2, 2, 0]},
            source="by hand: one point is alone",
        ),
        Example(
            {"rows": _BLOBS, "features": ["x", "y"], "method": "hierarchical"},
            {"assignments": [1, 1, 1, 1, 2, 2, 2, 2]},
            source="by hand: the silhouette is best for two",
        ),
        Refusal({"rows": _BLOBS, "features": ["x"], "count": 9}, "distinct"),
    ),
    reply={
        "clusters": "The clusters: {clusters}",
        "": "I found no clusters.",
    },
    tier="pro", credits=2, pace="normal", memory_mb=2048,
)  # fmt: skip
@compute()
def ml_cluster_rows(
    rows: Rows,
    features: Features,
    method: Annotated[
        Literal["kmeans", "hierarchical", "dbscan"],
        About("k-means, Ward's method, or density-based clusters with noise"),
    ] = "kmeans",
    count: Annotated[
        int, About("Number of clusters; 0 chooses the best by silhouette; ignored by dbscan", minimum=0, maximum=50)
    ] = 0,
    radius: Annotated[
        float, About("For dbscan: maximum distance of neighbours", exclusive_minimum=0, maximum=1e15)
    ] = 0.5,
    neighbours: Annotated[
        int, About("For dbscan: minimum number of points in a dense region", minimum=1, maximum=1000)
    ] = 5,
    scale: Scale = True,
    seed: Seed = 1,
) -> Clusters:
    """Cluster the rows of a table by k-means, Ward's hierarchical method or DBSCAN; chooses the number if not given.

    Use it to segment customers or find groups. Returns the cluster of each row, sizes, centres and the silhouette.
    """
    if len(rows) > 3000:
        raise ToolError("Clustering supports at most 3000 rows.")
    matrix, terms = _matrix(rows, features, scale=scale)
    plain, _ = _matrix(rows, features, scale=False)
    tried: dict[str, float] = {}
    if method == "dbscan":
        found = DBSCAN(eps=radius, min_samples=neighbours).fit_predict(matrix)
    else:
        distinct = len(np.unique(matrix, axis=0))
        if max(count, 2) > distinct:
            raise ToolError(f"There are only {distinct} distinct rows. Request fewer clusters.")
        if not count:
            sizes = range(2, min(10, distinct - 1, len(rows) - 1) + 1)
            tried = {str(k): _silhouette(matrix, _divide(matrix, method, k, seed)) or 0.0 for k in sizes}
            count = int(max(tried, key=lambda k: tried[k])) if tried else 2
        found = _divide(matrix, method, count, seed)
    renamed = _by_size(found)
    result: Clusters = {
        "assignments": renamed.tolist(),
        "clusters": [
            {
                "cluster": name,
                "size": int((renamed == name).sum()),
                "centre": {term: number(m) for term, m in zip(terms, plain[renamed == name].mean(axis=0), strict=True)},
            }
            for name in range(1, min(int(renamed.max()), 200) + 1)
        ],
        "silhouette": _silhouette(matrix, found),
    }
    return {**result, "tried": tried} if tried else result


def _divide(matrix: np.ndarray, method: str, count: int, seed: int) -> np.ndarray:
    if method == "hierarchical":
        return np.asarray(AgglomerativeClustering(n_clusters=count).fit_predict(matrix))
    return np.asarray(KMeans(n_clusters=count, n_init=10, random_state=seed).fit_predict(matrix))


def _silhouette(matrix: np.ndarray, found: np.ndarray) -> float | None:
    clustered = found >= 0
    if not 2 <= len(set(found[clustered].tolist())) < clustered.sum():
        return None
    return figure(silhouette_score(matrix[clustered], found[clustered]))


def _by_size(found: np.ndarray) -> np.ndarray:
    names, first, counts = np.unique(found, return_index=True, return_counts=True)
    order = sorted(
        (int(name) for name in names if name >= 0),
        key=lambda name: (-counts[names == name][0], first[names == name][0]),
    )
    places = {name: place for place, name in enumerate(order, 1)}
    return np.array([places.get(int(name), 0) for name in found])


class Component(TypedDict):
    """A principal component."""

    explained_percent: Annotated[float, About("Share of the variance")]
    loadings: Annotated[dict[str, float], About("Weight of each column")]


class Components(TypedDict):
    """Principal components."""

    components: Annotated[list[Component], About("Components in order of the explained variance")]
    scores: Annotated[list[list[float]], About("Coordinates of each row on the components, at most 2000 rows")]
    cumulative_percent: Annotated[list[float], About("Cumulative variance explained by the first components")]


@tool(
    tags="pca principal component analysis dimension reduction variance loadings scores machine learning",
    use_when=(
        "Reduce these ten columns to two dimensions",
        "Which principal components explain the variance of these measurements?",
        "Show the loadings of a PCA",
    ),
    examples=(
        Example(
            {"rows": _LINE, "features": ["a", "b"]},
            {"cumulative_percent": [100.0, 100.0],
             "components": [{"explained_percent": 100.0, "loadings": {"a": 0.5**0.5, "b": 0.5**0.5}},
                            {"explained_percent": 0.0}]},
            source="by hand: the columns are proportional",
            tolerance=1e-6,
        ),
        Example(
            {"rows": _LINE, "features": ["a", "b"], "scale": False, "count": 1},
            {"components": [{"loadings": {"a": 0.2**0.5, "b": 0.8**0.5}}]},
            source="by hand: direction (1, 2) / sqrt 5",
            tolerance=1e-6,
        ),
        Refusal({"rows": _LINE, "features": ["c"]}, "no column c"),
    ),
    reply="The components explain {cumulative_percent} % of the variance: {components}",
    tier="pro", credits=2, pace="normal", memory_mb=2048,
)  # fmt: skip
@compute()
def ml_reduce_components(
    rows: Rows,
    features: Features,
    count: Annotated[int, About("Maximum number of components", minimum=1, maximum=20)] = 2,
    scale: Scale = True,
) -> Components:
    """Reduce the columns of a table to few principal components (PCA) with variances, loadings and scores.

    Use it to plot many columns in two dimensions or to see which are related. The largest loading is positive.
    """
    matrix, terms = _matrix(rows, features, scale=scale)
    if not np.ptp(matrix, axis=0).any():
        raise ToolError("All rows are equal, so there is no variance.")
    fitted = PCA(n_components=min(count, *matrix.shape), svd_solver="full").fit(matrix)
    turn = np.array([np.sign(row[np.argmax(np.abs(row).round(9))]) or 1.0 for row in fitted.components_])
    shares = np.round(fitted.explained_variance_ratio_ * 100, 9)
    return {
        "components": [
            {
                "explained_percent": number(share),
                "loadings": {term: number(value) for term, value in zip(terms, row, strict=True)},
            }
            for share, row in zip(shares, fitted.components_ * turn[:, None], strict=True)
        ],
        "scores": (fitted.transform(matrix) * turn)[:2000].tolist(),
        "cumulative_percent": [number(value) for value in np.cumsum(shares)],
    }


class Odd(TypedDict):
    """An unusual row."""

    row: Annotated[int, About("Row number, from 1")]
    score: Annotated[float, About("Anomaly score, higher is more unusual")]


class OddRows(TypedDict):
    """Rows unlike the others."""

    anomalies: Annotated[list[Odd], About("Most unusual first")]
    threshold: Annotated[float, About("Minimum score of the returned rows")]


@tool(
    tags="anomaly detection outlier isolation forest lof fraud unusual rows machine learning",
    use_when=(
        "Which of these transactions look unusual?",
        "Find outliers in several columns together",
        "Detect anomalies with an isolation forest",
    ),
    examples=(
        Example(
            {"rows": _ODD, "features": ["x", "y"], "share_percent": 3},
            {"anomalies": [{"row": 31}]},
            source="by hand: one row is far from all others",
        ),
        Example(
            {"rows": _ODD, "features": ["x", "y"], "method": "lof", "share_percent": 3},
            {"anomalies": [{"row": 31}]},
            source="by hand: one row is far from all others",
        ),
        Refusal({"rows": _ODD[:3], "features": ["x"]}, "5 rows"),
    ),
    reply={
        "anomalies": "These rows are unlike the others: {anomalies}",
        "": "No rows are unlike the others.",
    },
    tier="pro", credits=2, pace="normal", memory_mb=2048,
)  # fmt: skip
@compute()
def ml_find_odd_rows(
    rows: Rows,
    features: Features,
    method: Annotated[
        Literal["isolation_forest", "lof"],
        About("Isolation forest, or density compared with neighbours (local outlier factor)"),
    ] = "isolation_forest",
    share_percent: Annotated[float, About("Share of the rows to return", minimum=0.01, maximum=50)] = 5,
    scale: Scale = True,
    seed: Seed = 1,
) -> OddRows:
    """Find the odd rows of a table that are unlike the others, over several columns together.

    Use it for fraud, faulty sensors and data checks. Returns the given share of rows with the highest scores.
    """
    if len(rows) < _FEWEST_ROWS:
        raise ToolError(f"At least {_FEWEST_ROWS} rows are required to determine what is usual.")
    matrix, _ = _matrix(rows, features, scale=scale)
    if method == "lof":
        model = LocalOutlierFactor(n_neighbors=min(20, len(rows) // 2)).fit(matrix)
        scores = -model.negative_outlier_factor_
    else:
        scores = -IsolationForest(random_state=seed).fit(matrix).score_samples(matrix)
    odd_rows = np.argsort(-scores, kind="stable")[: max(1, round(len(rows) * share_percent / 100))]
    return {
        "anomalies": [{"row": int(place) + 1, "score": number(scores[place])} for place in odd_rows],
        "threshold": number(scores[odd_rows[-1]]),
    }
