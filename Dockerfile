# Portcullis. `docker build -t portcullis .`, then run it as in compose.yaml or docs/operations.md. Images are pinned by digest;
# docs/operations.md says how to renew the pins.

# Node comes from the lockfile; it needs a library that the slim image lacks.
FROM debian:trixie-20260918-slim@sha256:a99cfc517144bc59b1978475ec53b46ecabec7e43635402ee5b77cc54cd1b20a AS base
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends libatomic1 \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/apt /var/log/dpkg.log \
 && groupadd --gid 10001 portcullis \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin portcullis \
 && install -d -o 10001 -g 10001 -m 0700 /var/lib/portcullis
WORKDIR /app
ENV PATH=/app/node_modules/.bin:/usr/local/bin:/usr/bin:/bin \
    HOST=0.0.0.0 \
    PORT=8080 \
    DATA_DIR=/var/lib/portcullis \
    MALLOC_ARENA_MAX=2

# This image only provides npm. The manifests are copied first, so that the dependency layer is cached until they change.
FROM node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe AS install
WORKDIR /app
COPY .npmrc package.json package-lock.json ./
COPY client/package.json client/
COPY console/package.json console/
COPY contract/package.json contract/
COPY device/package.json device/
COPY engine/package.json engine/
COPY server/package.json server/
COPY examples/login-guard/package.json examples/login-guard/
COPY examples/shop/package.json examples/shop/
COPY examples/webhook-receiver/package.json examples/webhook-receiver/
RUN npm ci --omit=dev --ignore-scripts --workspace=portcullis --include-workspace-root \
 && rm -rf node_modules/node-linux-*/include node_modules/node-linux-*/share
COPY contract contract
COPY engine engine
COPY server server
# The guides that /docs/guides/ serves.
COPY docs docs
# The checkout's umask may have removed read permission for others.
RUN chmod -R a+rX /app

# Runs once as the final user, so that an image that cannot start is never built. Then loads the service and its lazily loaded parts to
# fill Node's per-user compile cache of stripped TypeScript, since the file system is read-only later.
FROM base AS warm
COPY --from=install /app /app
RUN install -d -o 10001 -g 10001 node_modules/.cache
USER 10001:10001
RUN DATA_DIR=/tmp/warm node --max-semi-space-size=6 server/bin/portcullis.js migrate \
 && for part in commands/serve commands/keys commands/rebuild backend/postgres/store backend/redis/counters backend/redis/rate-limits docs-page/site; do \
      node --import=./server/bin/runtime.js server/src/$part.ts || exit 1; \
    done

FROM base
LABEL org.opencontainers.image.title="Portcullis" \
      org.opencontainers.image.description="Fraud screening for payments and logins, with explained decisions" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=install /app/node_modules node_modules
COPY --from=install /app/package.json package.json
COPY --from=install /app/contract contract
COPY --from=install /app/engine engine
COPY --from=install /app/server server
COPY --from=install /app/docs docs
COPY --from=warm --chown=10001:10001 /app/node_modules/.cache node_modules/.cache
USER 10001:10001
VOLUME ["/var/lib/portcullis"]
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=6", "--v8-pool-size=1", "server/bin/portcullis.js"]
CMD ["serve"]
