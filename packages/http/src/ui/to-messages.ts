import type { AnyAgent, Artifact, Message, ToolCall, ToolMessage } from '@capstan/core'
import type { Visit } from '../site.js'
import { takeIn, withFiles } from '../take-in.js'
import { textOf as wordsOf } from '../text-of.js'
import type { UiMessage, UiPart } from './ui-request.js'
import { toToolPart, type UiToolPart } from './ui-tool-part.js'

/** UI messages as a run takes them. Calls that came to nothing are left out. @throws HttpError 400 for a file that is not taken */
export async function toMessages(
  messages: readonly UiMessage[],
  agent: AnyAgent,
  visit: Visit,
): Promise<readonly Message[]> {
  const all: Message[] = []
  for (const { role, parts } of messages) {
    if (role === 'assistant') for (const answer of stepsOf(parts).flatMap(toAnswer)) all.push(answer)
    else all.push({ role, content: await toWords(parts, agent, visit) })
  }
  return all
}

async function toWords(parts: readonly UiPart[], agent: AnyAgent, visit: Visit): Promise<string> {
  const files: Artifact[] = []
  for (const { type, url } of parts) if (type === 'file') files.push(await takeIn(wordsOf(url), agent, visit))
  return withFiles(textOf(parts), files)
}

/** Each step is one answer of the model's. */
function stepsOf(parts: readonly UiPart[]): readonly (readonly UiPart[])[] {
  const steps: UiPart[][] = [[]]
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([])
    else steps.at(-1)?.push(part)
  }
  return steps
}

function toAnswer(parts: readonly UiPart[]): readonly Message[] {
  const content = textOf(parts)
  const calls = parts.flatMap((part) => {
    const call = toToolPart(part)
    const result = call && !call.isInner ? toResult(call) : undefined
    return call && result ? [{ call: toCall(call), result }] : []
  })
  if (calls.length === 0) return content === '' ? [] : [{ role: 'assistant', content }]
  const asked = {
    role: 'assistant',
    content: content || null,
    tool_calls: calls.map(({ call }) => call),
  } as const
  return [asked, ...calls.map(({ result }) => result)]
}

function textOf(parts: readonly UiPart[]): string {
  const texts = parts.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
  return texts.join('\n\n')
}

function toCall({ callId, name, input }: UiToolPart): ToolCall {
  return { id: callId, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) } }
}

function toResult({ callId, state, output, errorText, approval }: UiToolPart): ToolMessage | undefined {
  const told = (content: string) => ({ role: 'tool', tool_call_id: callId, content }) as const
  if (state === 'output-error') return told(errorText)
  if (state === 'output-denied') return told(`Denied: ${wordsOf(approval.reason) || 'the user said no.'}`)
  if (state !== 'output-available') return undefined
  return told(typeof output === 'string' ? output : JSON.stringify(output ?? null))
}
