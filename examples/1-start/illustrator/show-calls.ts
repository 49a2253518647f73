// Shows the tool calls of a run: a live line in a terminal, plain lines elsewhere.
import type { Artifact, Observer, RunEvent } from '@capstan/core'

type ToolEnd = Extract<RunEvent, { type: 'tool-end' }>

/** Returns an observer that prints one line per call, in call order. `where` returns the path of an artifact. */
export function showCalls(where: (artifact: Artifact) => string): Observer {
  const live = process.stdout.isTTY
  const open = new Map<string, string>()
  // Calls of one reply run concurrently, and end in any order.
  const lines = new Map<string, string>()
  return (event) => {
    if (event.type === 'call-ready') lines.set(event.callId, '')
    if (event.type === 'tool-start') {
      open.set(event.callId, `${event.name} ${shorten(event.arguments)}`)
      if (live)
        process.stdout.write(
          `\r\x1b[K  ... ${[...open.values()].join(' | ')}`.slice(0, process.stdout.columns),
        )
    }
    if (event.type === 'tool-end') {
      const what = open.get(event.callId) ?? event.name
      open.delete(event.callId)
      lines.set(event.callId, `${toLine(event, what, where)}\n`)
    }
    if (event.type === 'step-end') {
      for (const line of lines.values()) process.stdout.write(`${live ? '\r\x1b[K' : ''}${line}`)
      lines.clear()
    }
  }
}

function toLine(
  { status, ms, content, artifacts }: ToolEnd,
  what: string,
  where: (artifact: Artifact) => string,
): string {
  const made = artifacts.map(where).join(', ')
  const outcome = made || content.slice(0, 100)
  return `${status === 'ok' ? '  ok ' : '  -- '}${what} (${ms} ms)\n       ${outcome}`
}

function shorten(args: unknown): string {
  const text = JSON.stringify(args)
  return text.length > 90 ? `${text.slice(0, 87)}...` : text
}
