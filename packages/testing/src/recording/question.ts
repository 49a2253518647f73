import type { ModelRequest, ToolDefinition } from '@capstan/core'
import type { AsRecorded } from './as-recorded.js'
import { matches } from './matches.js'
import type { Exchange } from './recording.js'
import { splitSystem } from './split-system.js'

/** What is compared of a request. */
export interface Question
  extends Pick<Exchange, 'system' | 'messages' | 'tools' | 'toolChoice' | 'settings'> {}

export function questionOf(
  { messages: all, tools, toolChoice = 'auto', settings = {} }: ModelRequest,
  recorded: <T extends object>(value: T) => T,
): Question {
  const { system, messages } = splitSystem(all)
  return {
    ...recorded({ system }),
    messages: messages.map(recorded),
    // Lists of tools are the same objects as well, whole.
    tools: toolsOf(tools, recorded),
    ...recorded({ toolChoice, settings }),
  }
}

/** An exchange as this version records it: an older one may have written what this one redacts. */
export function redactedAgain(one: Exchange, recorded: AsRecorded): Exchange {
  const again = <T extends object>(value: T) => recorded.once(value, '')
  const { system, toolChoice, settings } = one
  return {
    ...one,
    ...again({ system, toolChoice, settings }),
    messages: one.messages.map(again),
    tools: toolsOf(one.tools, again),
  }
}

const wrapped = new WeakMap<readonly ToolDefinition[], { readonly tools: readonly ToolDefinition[] }>()

/** Under their name, by which schemas are told from what is said. */
function toolsOf(
  tools: readonly ToolDefinition[],
  recorded: <T extends object>(value: T) => T,
): readonly ToolDefinition[] {
  const known = wrapped.get(tools) ?? { tools }
  wrapped.set(tools, known)
  return recorded(known).tools
}

export function recordedQuestion({ system, messages, tools, toolChoice, settings }: Exchange): Question {
  return JSON.parse(JSON.stringify({ system, messages, tools, toolChoice, settings }))
}

/** Whether a request is the recorded one. What was found to be the same once is not looked through again. */
export function comparison(): (one: Exchange, asked: Question) => boolean {
  const known = new WeakMap<object, object>()
  const isSame = (recorded: object, live: object | undefined) => {
    if (live === undefined) return false
    if (known.get(recorded) === live) return true
    const is = matches(recorded, live)
    if (is) known.set(recorded, live)
    return is
  }
  return (one, asked) =>
    one.messages.length === asked.messages.length &&
    one.messages.every((message, at) => isSame(message, asked.messages[at])) &&
    matches(one.system, asked.system) &&
    isSame(one.tools, asked.tools) &&
    matches(one.toolChoice, asked.toolChoice) &&
    matches(one.settings, asked.settings)
}
