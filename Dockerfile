# One image for every process: which one it is, is the command (docker-compose.yml).
FROM node:24.22.3-bookworm-slim AS build
ENV CI=true
WORKDIR /parley
RUN npm install --global --ignore-scripts pnpm@12.21.0
COPY pnpm-lock.yaml pnpm-workspace.yaml ./
RUN pnpm fetch
COPY . .
RUN pnpm install --offline --frozen-lockfile && pnpm build
# What only tests, builds and embedded servers need stays behind.
RUN rm -rf node_modules ./*/*/node_modules \
 && pnpm install --offline --frozen-lockfile --prod --no-optional \
      --filter "{./services/*}..." --filter "{./tools/*}..."

FROM node:24.22.3-bookworm-slim
ENV NODE_ENV=production NODE_COMPILE_CACHE=/tmp/compiled
WORKDIR /parley
COPY --from=build /parley .
USER node
ENTRYPOINT ["node", "--min-semi-space-size=16"]
CMD ["tools/parley/bundle/main.js", "--help"]
