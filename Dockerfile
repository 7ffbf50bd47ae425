# The light core with models as ONNX and PostgreSQL, for a team: docs/how-to/containers.md.
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml requirements.txt README.md LICENSE app.py serve.py ./
COPY .streamlit .streamlit
COPY pages pages
COPY testimate testimate
ARG EXTRAS=onnx,team
RUN python -m venv /opt/testimate && \
    sed "s/\[[a-z,]*\]//" requirements.txt >versions.txt && \
    /opt/testimate/bin/pip install --quiet --no-cache-dir --constraint versions.txt ".[$EXTRAS]"

FROM python:3.13-slim
# libseccomp confines the processes of models.
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends libseccomp2 && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --create-home testimate && install -d -o testimate -g testimate /data
COPY --from=build /opt/testimate /opt/testimate
ENV PATH=/opt/testimate/bin:/usr/local/bin:/usr/bin:/bin PYTHONUNBUFFERED=1
USER testimate
WORKDIR /data
VOLUME /data
EXPOSE 8501
HEALTHCHECK --start-period=60s --interval=10s CMD python -c "import urllib.request as r; r.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=5)"
ENTRYPOINT ["testimate"]
CMD ["app", "--team", "--address", "0.0.0.0"]
