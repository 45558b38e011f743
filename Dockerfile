# The image of all roles: the bundled executables on Node 24. `npm run image` lays its files out in tmp/image and builds it.
# glibc rather than musl: the launchers keep its allocator from holding memory that is not in use.
ARG BASE=node:24-bookworm-slim
FROM ${BASE}
COPY tmp/image/ /
LABEL org.opencontainers.image.title="hawser" \
      org.opencontainers.image.description="Binds the APIs of one Kubernetes cluster to another and keeps the objects in step." \
      org.opencontainers.image.licenses="Apache-2.0"
USER 65532:65532
EXPOSE 8090
# Without a command it is a konnector, so that it can take the place of the Go konnector's image; the path there is /bin/konnector.
ENTRYPOINT ["hawser-konnector"]
