// A run becomes spans of @opentelemetry/api.
import assert from 'node:assert/strict'
import { Agent } from '@capstan/core'
import { telemetry } from '@capstan/telemetry'
import { reply, scriptedModel } from '@capstan/testing'
import { trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'

const exporter = new InMemorySpanExporter()
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
)
const agent = new Agent({ name: 'forecaster', model: scriptedModel([reply.text('Snow.')]) })
await agent.run('What is the weather?', telemetry())
const names = exporter.getFinishedSpans().map(({ name }) => name)
assert.ok(names.includes('invoke_agent forecaster'), names.join())
