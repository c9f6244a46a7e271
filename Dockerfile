# The client, then the program in an environment of its own, then both without the tools that made them.
FROM node:22-slim AS client
WORKDIR /ventuno/client
COPY client/package.json client/package-lock.json client/.npmrc ./
RUN npm ci --silent
COPY client ./
COPY src/ventuno/words /ventuno/src/ventuno/words
COPY src/ventuno/sheets /ventuno/src/ventuno/sheets
RUN npm run --silent build -- --logLevel warn

FROM python:3.13-slim AS program
WORKDIR /ventuno
RUN python -m venv /opt/ventuno
COPY requirements/run.txt requirements/
RUN /opt/ventuno/bin/pip install --no-cache-dir --require-hashes -r requirements/run.txt
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY src ./src
COPY --from=client /ventuno/src/ventuno/web/static ./src/ventuno/web/static
RUN /opt/ventuno/bin/pip install --no-cache-dir --no-deps . \
    && /opt/ventuno/bin/pip uninstall --yes --quiet pip \
    && /opt/ventuno/bin/python -m compileall -q /opt/ventuno/lib

FROM python:3.13-slim
LABEL org.opencontainers.image.title="Ventuno" org.opencontainers.image.licenses="MIT"
RUN useradd --uid 2121 --no-create-home --home-dir /data --shell /usr/sbin/nologin ventuno \
    && install -d -o ventuno -g ventuno -m 0700 /data
COPY --from=program /opt/ventuno /opt/ventuno
# The root may be read-only: books, key and what numba compiled lie in the volume, the rest in /tmp.
ENV PATH=/opt/ventuno/bin:$PATH PYTHONDONTWRITEBYTECODE=1 NUMBA_CACHE_DIR=/data/compiled \
    VENTUNO_DATA=/data VENTUNO_HOST=0.0.0.0 VENTUNO_PORT=2121
USER 2121:2121
VOLUME /data
EXPOSE 2121
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:2121/healthz', timeout=2)"]
ENTRYPOINT ["ventuno"]
CMD ["serve"]
