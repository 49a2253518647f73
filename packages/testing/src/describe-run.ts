import type { AnyRunResult, AnyToolCall, Artifact } from '@capstan/core'
import { callInLine, inLine } from './in-line.js'

/** What a run did, one line for each call: for messages of tests. */
export function describeRun({ toolCalls, artifacts, stopReason, limit, text }: AnyRunResult): string {
  const reason = limit === undefined ? stopReason : `${stopReason} (${limit})`
  const lines = [
    'The run:',
    ...toolCalls.map((call, at) => `  ${at + 1}. ${toLine(call)}`),
    ...(toolCalls.length === 0 ? ['  no calls'] : []),
    ...artifacts.map((artifact) => `  made ${artifactInLine(artifact)}`),
    `  stopped with ${reason}${text === '' ? ', in silence' : `: ${inLine(text)}`}`,
  ]
  return lines.join('\n')
}

function toLine({ name, arguments: args, status, content }: AnyToolCall): string {
  return `${callInLine(name, args)} ${status}: ${inLine(content) || '(nothing)'}`
}

function artifactInLine({ id, mediaType, width, height, durationMs, bytes }: Artifact): string {
  const size = width === undefined ? '' : ` ${width}x${height}`
  const time = durationMs === undefined ? '' : ` ${durationMs} ms`
  return `${id} ${mediaType}${size}${time} ${bytes} bytes`
}
