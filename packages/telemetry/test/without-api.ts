// A program without the OpenTelemetry API.
import { register } from 'node:module'

const hook = `export const resolve = (name, context, next) => {
  if (name === '@opentelemetry/api') throw Object.assign(new Error('not here'), { code: 'ERR_MODULE_NOT_FOUND' })
  return next(name, context)
}`
register(`data:text/javascript,${encodeURIComponent(hook)}`)

const { Agent } = await import('@capstan/core')
const { reply, scriptedModel } = await import('@capstan/testing')
const { telemetry, traceHeaders } = await import('../src/index.js')
const { opentelemetry } = await import('../src/opentelemetry.js')

const seen: string[] = []
const options = telemetry({ observe: ({ type }) => seen.push(type) })
const result = await new Agent({ model: scriptedModel([reply.text('ok')]) }).run('Go', options)
const state = opentelemetry ? 'installed' : 'not installed'
console.log(`${state}, ${result.text}, ${seen[0]}, ${JSON.stringify(traceHeaders())}`)
