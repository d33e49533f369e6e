"""A small bot of langchain-core, offline, with OpenInference's instrumentation: what test_otlp runs as a process."""

from __future__ import annotations

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnablePassthrough
from openinference.instrumentation import using_session
from openinference.instrumentation.langchain import LangChainInstrumentor
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor


class Search(BaseRetriever):
    """Always finds the same two."""

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return [
            Document(
                id=f"prices-{year}",
                page_content=f"Fibre costs {price} a month since January {year}.",
                metadata={"title": f"Price list {year}", "score": score},
            )
            for year, price, score in ((2025, 99, 0.87), (2019, 49, 0.41))
        ]


def context(docs: list[Document]) -> str:
    """What the prompt is given to know."""
    return "\n".join(doc.page_content for doc in docs)


provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
LangChainInstrumentor().instrument(tracer_provider=provider)
model = GenericFakeChatModel(messages=iter([AIMessage("It is 99 a month."), AIMessage("好的。")]))
prompt = ChatPromptTemplate.from_messages([("system", "Answer from: {context}"), ("user", "{question}")])
found = {"context": Search(name="price_search") | context, "question": RunnablePassthrough()}
chain = found | prompt | model | StrOutputParser()
with using_session("call-17"):
    for question in ("What is the price of fibre?", "我的手机号是13812345678"):
        chain.invoke(question)
provider.shutdown()
