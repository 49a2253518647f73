// Captures console lines and the call that printed each of them.

import { AsyncLocalStorage } from 'node:async_hooks'
import { format } from 'node:util'
import { type CreateHost, type HostContext, memoryHost, type RunHost } from '@capstan/core'
import { wrapHost } from '@capstan/core/internal'
import type { EntryContent } from '../types.js'

type ConsoleEntry = Extract<EntryContent, { console: unknown }>
type Level = ConsoleEntry['console']

/** Receives a run's console lines. */
export interface ConsoleListener {
  printed(entry: ConsoleEntry): void
}

/** The run that the current code belongs to and, inside a call, that call. */
interface CallScope {
  readonly listener: ConsoleListener
  /** The ids of the enclosing calls and of the call itself, joined by slashes. */
  readonly callId?: string
}

const scopes = new AsyncLocalStorage<CallScope>()
const listeners = new Set<ConsoleListener>()
const levels: readonly Level[] = ['log', 'info', 'warn', 'error']
let restore: (() => void) | undefined

/** Passes console lines to the listener until the returned function is called. The lines are still printed. */
export function captureConsole(listener: ConsoleListener): () => void {
  listeners.add(listener)
  restore ??= replaceConsole()
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    restore?.()
    restore = undefined
  }
}

function replaceConsole(): () => void {
  const own = levels.map((level) => [level, console[level]] as const)
  const replaced = own.map(([level, print]) => {
    const replacement = (...values: unknown[]) => {
      print.apply(console, values)
      tell(level, values)
    }
    console[level] = replacement
    return { level, print, replacement }
  })
  return () => {
    // Other code may have replaced the method in the meantime.
    for (const { level, print, replacement } of replaced)
      if (console[level] === replacement) console[level] = print
  }
}

function tell(level: Level, values: readonly unknown[]): void {
  const scope = scopes.getStore()
  const [only] = listeners.size === 1 ? listeners : []
  const listener = scope && listeners.has(scope.listener) ? scope.listener : only
  const callId = scope?.callId
  // Formatting a value can run the program's own code. Console lines from that code must not be reported again.
  scopes.exit(() =>
    listener?.printed({
      console: level,
      text: format(...values).slice(0, mostText),
      ...(callId === undefined ? {} : { callId }),
    }),
  )
}

/** The maximum length of a line in characters. Longer lines are cut. */
const mostText = 200_000

/**
 * Wraps a host so that console lines from its steps and from sub-agents are reported with the call that printed them.
 */
export function withCallScopes(create: CreateHost, listener: ConsoleListener): CreateHost {
  const paths = new Map<string, string>()
  const wrap =
    (inner: CreateHost): CreateHost =>
    (binding) => {
      const { hostWithin = memoryHost } = binding
      const host = inner({ ...binding, hostWithin: wrap(hostWithin) })
      return scopedHost(host, { binding, listener, paths })
    }
  return wrap(create)
}

interface ScopeOptions {
  readonly binding: HostContext
  readonly listener: ConsoleListener
  /** The path of the call that started each sub-agent's run, by run id. */
  readonly paths: Map<string, string>
}

function scopedHost(inner: RunHost, { binding, listener, paths }: ScopeOptions): RunHost {
  const pathTo = (callId: string) => {
    const around = paths.get(binding.runId)
    return around === undefined ? callId : `${around}/${callId}`
  }
  return wrapHost(inner, {
    run(step) {
      const { callId } = step.options ?? {}
      const scope: CallScope = { listener, ...(callId === undefined ? {} : { callId: pathTo(callId) }) }
      return { ...step, run: (context) => scopes.run(scope, () => step.run(context)) }
    },
    child(step) {
      paths.set(step.child.state.runId, pathTo(step.child.callId))
      return step
    },
  })
}
