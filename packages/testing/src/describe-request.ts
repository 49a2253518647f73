import type { Message, ModelRequest } from '@capstan/core'
import { callsOf, textOf } from '@capstan/core/internal'
import { inLine, wireCallInLine } from './in-line.js'

/** A request in a few lines: its last messages, and the tools it offers. */
export function describeRequest({ messages, tools }: ModelRequest): string {
  const left = Math.max(0, messages.length - mostMessages)
  const lines = [
    ...(left > 0 ? [`(${left} messages before these)`] : []),
    ...messages.slice(left).map(toLine),
    `tools offered: ${tools.map((tool) => tool.function.name).join(', ') || 'none'}`,
  ]
  return lines.map((line) => `  ${line}`).join('\n')
}

const mostMessages = 6

function toLine(message: Message): string {
  const said = inLine(textOf(message.content))
  const parts = [...(said === '' ? [] : [said]), ...callsOf(message).map(wireCallInLine)]
  return `${message.role}: ${parts.join(' + ') || '(nothing)'}`
}
