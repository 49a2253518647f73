import type { ModelRequest } from '@capstan/core'
import { textOf } from '@capstan/core/internal'
import { diffOf } from './diff.js'
import { faced } from './faced.js'

/** What a request is expected to be: the text of its last message, or several things of it. */
export type Asked = string | RegExp | AskedParts

/** Each part that is left out may be anything. A RegExp, or a matcher of a test library, may stand for any value. */
export interface AskedParts {
  /** Of the last message: what the user said, or what a tool answered. */
  readonly text?: unknown
  /** Of the last message. */
  readonly role?: unknown
  /** The system message. */
  readonly instructions?: unknown
  /** The names of the tools that are offered, in their order. */
  readonly tools?: unknown
  readonly toolChoice?: unknown
  /** All messages, the system message first; of each the fields that matter. */
  readonly messages?: unknown
  readonly settings?: unknown
  readonly stream?: unknown
}

/** How a request differs from what was expected; `''` when it does not. */
export function diffOfAsked(asked: Asked, request: ModelRequest): string {
  const parts: AskedParts = typeof asked === 'string' || asked instanceof RegExp ? { text: asked } : asked
  const { expected, seen } = faced(parts, partsOf(request))
  return diffOf(expected, seen)
}

function partsOf({ messages, tools, toolChoice = 'auto', settings, stream }: ModelRequest): AskedParts {
  const last = messages.at(-1)
  const [first] = messages
  return {
    text: textOf(last?.content),
    role: last?.role,
    ...(first?.role === 'system' ? { instructions: first.content } : {}),
    tools: tools.map((tool) => tool.function.name),
    toolChoice,
    messages,
    settings,
    stream,
  }
}
