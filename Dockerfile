# Nodes, simulator and dashboard in one image. docker compose up; or: docker build -t swarm_control . && docker run --rm swarm_control list
FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends make python3 python3-venv libosmesa6 \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /swarm_control
COPY . .
RUN make install EXTRAS=ros,floor,dashboard,record,drawing,tune,robots
ENV PATH=/swarm_control/.venv/bin:$PATH MUJOCO_GL=osmesa
ENTRYPOINT ["swarm"]
CMD ["list"]
