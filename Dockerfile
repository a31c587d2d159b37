# syntax=docker/dockerfile:1
# The image holds the server from its wheels, with the pinned and hashed libraries of requirements/.
# Data, and the libraries of tools and voice, which the server installs while it runs, are on the volume /data.
ARG PYTHON_VERSION=3.13

FROM python:${PYTHON_VERSION}-slim AS build
WORKDIR /build
RUN python -m venv /opt/retinue
COPY requirements/base.txt requirements/model.txt requirements/
RUN --mount=type=cache,target=/root/.cache/pip \
    /opt/retinue/bin/pip install --require-hashes --only-binary :all: \
    -r requirements/base.txt -r requirements/model.txt
COPY pyproject.toml README.md LICENSE ./
COPY src src
COPY packages packages
COPY clients clients
# uv, a library of the server, builds the wheels itself. The catalogue is compiled here, because the image is read-only.
RUN for project in . packages/retinue-tools packages/retinue-assistant clients/python; do \
        /opt/retinue/bin/uv build --offline --wheel --out-dir wheels "$project" || exit 1; \
    done \
    && /opt/retinue/bin/pip install --no-cache-dir --no-index --no-deps wheels/*.whl \
    && /opt/retinue/bin/python -c "from retinue.tools.catalogue.catalogue import Catalogue; Catalogue.load()"

FROM python:${PYTHON_VERSION}-slim
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="Retinue" \
      org.opencontainers.image.description="A self-hosted AI agent platform" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}"
# The local model needs libgomp1.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends libgomp1 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --user-group --home-dir /data --no-create-home retinue \
    && install -d -o retinue -g retinue -m 0700 /data
COPY --from=build /opt/retinue /opt/retinue
ENV PATH=/opt/retinue/bin:$PATH \
    HOME=/data \
    HOST=0.0.0.0 \
    PORT=8000 \
    RETINUE_HOME=/data
USER 10001:10001
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen(f\"http://127.0.0.1:{os.environ['PORT']}/healthz\", timeout=4)"]
ENTRYPOINT ["retinue"]
CMD ["serve"]
