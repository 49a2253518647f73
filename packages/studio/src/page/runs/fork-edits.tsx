// Finds the parts of a state's messages that a fork can change, and shows an editor for them.
import type { Message } from '@capstan/core'
import type { ForkRequest } from '../../types.js'
import { oneLine } from '../model/format.js'

export type ForkKind = 'nothing' | 'result' | 'arguments' | 'answer' | 'prompt' | 'instructions' | 'settings'

export const kinds: readonly (readonly [kind: ForkKind, words: string])[] = [
  ['nothing', 'nothing, rerun'],
  ['result', 'a tool result'],
  ['arguments', 'arguments'],
  ['answer', 'a reply'],
  ['prompt', 'a prompt'],
  ['instructions', 'instructions'],
  ['settings', 'model or settings'],
]

type MessageChange = NonNullable<ForkRequest['messages']>[number]

/**
 * A part of a message that can be changed, with its original text (`before`) and the text that the user has entered.
 */
export interface Edit {
  readonly kind: ForkKind
  readonly index: number
  readonly label: string
  readonly before: string
  readonly text: string
  readonly change: (text: string) => MessageChange
  /** Returns the reason why text cannot be used, such as invalid JSON. Undefined if it can be used. */
  readonly problem: (text: string) => string | undefined
}

export function isChanged({ text, before }: Edit): boolean {
  return text !== before
}

/** Returns all parts of the messages that a fork can change, in order. */
export function editsOf(messages: readonly Message[]): readonly Edit[] {
  const names = new Map<string, string>()
  return messages.flatMap((message, index): Edit[] => {
    if (message.role === 'user') return [contentEdit('prompt', index, `message ${index}`, message.content)]
    if (message.role === 'tool') {
      const label = `${names.get(message.tool_call_id) ?? 'tool'}, message ${index}`
      return [contentEdit('result', index, label, message.content)]
    }
    if (message.role !== 'assistant') return []
    const calls = (message.tool_calls ?? []).flatMap((call): Edit[] => {
      if (!('function' in call)) return []
      names.set(call.id, call.function.name)
      return [argumentsEdit(index, call.id, call.function)]
    })
    return message.content
      ? [contentEdit('answer', index, `message ${index}`, message.content), ...calls]
      : calls
  })
}

/** Returns the edit for a message's content. A string is edited as text, and content with several parts as JSON. */
function contentEdit(kind: ForkKind, index: number, label: string, content: unknown): Edit {
  const isText = typeof content === 'string'
  const before = isText ? content : JSON.stringify(content, null, 2)
  return {
    kind,
    index,
    label: `${label}: ${oneLine(content, 60)}`,
    before,
    text: before,
    change: (text) => ({ index, content: isText ? text : JSON.parse(text) }),
    problem: (text) => (isText ? undefined : jsonProblem(text)),
  }
}

function argumentsEdit(
  index: number,
  callId: string,
  call: { readonly name: string; readonly arguments: string },
): Edit {
  const before = pretty(call.arguments)
  return {
    kind: 'arguments',
    index,
    label: `${call.name} ${oneLine(call.arguments, 60)}`,
    before,
    text: before,
    change: (text) => ({ index, calls: [{ callId, arguments: text }] }),
    problem: jsonProblem,
  }
}

function pretty(json: string): string {
  return jsonProblem(json) === undefined ? JSON.stringify(JSON.parse(json), null, 2) : json
}

function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

interface MessageEditorProps {
  readonly edits: readonly Edit[]
  readonly edit: Edit
  readonly onEdit: (edit: Edit) => void
  /** The index of the state's last message. */
  readonly last: number
}

/** Lets the user choose a part of a message and edit its text. */
export function MessageEditor({ edits, edit, onEdit, last }: MessageEditorProps) {
  const problem = edit.problem(edit.text)
  const leftOut = last - edit.index
  return (
    <>
      <p class="field">
        <label for="fork-which">Which</label>
        <select
          id="fork-which"
          value={edit.label}
          onChange={(event) => onEdit(edits.find(({ label }) => label === event.currentTarget.value) ?? edit)}
        >
          {edits.map(({ label }) => (
            <option key={label} value={label}>
              {label}
            </option>
          ))}
        </select>
      </p>
      <p class="field">
        <label for="fork-text">Replacement</label>
        <textarea
          id="fork-text"
          class="mono"
          rows={Math.min(14, edit.before.split('\n').length + 2)}
          spellcheck={false}
          value={edit.text}
          aria-invalid={problem !== undefined || undefined}
          onInput={(event) => onEdit({ ...edit, text: event.currentTarget.value })}
        />
        {problem !== undefined && <span class="bad">! This is not JSON: {problem}</span>}
        {leftOut > 0 && isChanged(edit) && edit.kind !== 'result' && (
          <span class="hint">Later messages are dropped: the run continues from here.</span>
        )}
      </p>
    </>
  )
}
