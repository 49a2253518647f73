import { createHash } from 'node:crypto'
import {
  type AnyAgent,
  CapstanError,
  type Decision,
  type Json,
  type RunInput,
  type RunState,
} from '@capstan/core'
import { checkOptionNames, messageOf, type OptionKind, outermostRun, toJson } from '@capstan/core/internal'
import type { DurableRunOptions } from './durable-agent.js'

/** A run's settings. They are stored when the run starts, and apply to all its segments and child runs. */
export interface RunSettings {
  readonly data?: Json
  readonly unattended?: boolean
  readonly allowChangedTools?: boolean
}

/**
 * Converts settings to options for `agent.run`. Before the first step, changed tools are always allowed, because no
 * call is open yet.
 */
export function runOptions(
  { unattended = false, allowChangedTools = false }: RunSettings,
  { stepCount }: RunState,
): { readonly unattended: boolean; readonly allowChangedTools: boolean } {
  return { unattended, allowChangedTools: allowChangedTools || stepCount === 0 }
}

const optionKinds: Readonly<Record<keyof DurableRunOptions, OptionKind>> = {
  data: true,
  unattended: 'true or false',
  allowChangedTools: 'true or false',
  artifacts: 'memoryArtifacts()',
  attachments: 'an array: [one, two]',
  limits: 'an object',
  runId: 'a string',
}

/**
 * Validates a durable run's options. Returns them with `data` as plain JSON.
 * @throws CapstanError `invalid_request` for an unknown option, or for data that JSON would lose
 */
export function readRunOptions(options: DurableRunOptions): DurableRunOptions {
  checkOptionNames(options, optionKinds, {
    of: 'A durable run',
    elsewhere: ['the durable agent', { context: true }],
    names: { 'decide(runId, callId, decision)': 'decisions' },
  })
  const { data: given, ...rest } = options
  const data = toJsonData(given)
  return data === undefined ? rest : { ...rest, data }
}

function toJsonData(given: Json | undefined): Json | undefined {
  try {
    return toJson(given)
  } catch (cause) {
    const message = `The option "data" must be plain JSON: ${messageOf(cause)}. Use plain values.`
    throw new CapstanError('invalid_request', message, { cause, evidence: { option: 'data' } })
  }
}

const maxLength = 500

/** Matches run ids that could clash with the ids of a run's segments, abort or decisions. */
const reservedEnding = /\/(round\d+|abort|decision\/.*)$/s

/** Checks that every engine accepts a run id. @throws CapstanError `invalid_request` */
export function checkRunId(id: unknown): asserts id is string {
  const isPlain = typeof id === 'string' && id !== '' && id.length <= maxLength && !/[\p{Cc}\p{Cs}]/u.test(id)
  if (isPlain && !reservedEnding.test(id) && outermostRun(id) === id) return
  const runId = String(id).slice(0, 100)
  const message = `Invalid run id ${JSON.stringify(runId)}. Use 1 to ${maxLength} characters without control characters, and without a reserved ending such as "/round1" or "/abort".`
  throw new CapstanError('invalid_request', message, { evidence: { runId } })
}

/**
 * Returns the given run id. If none is given, returns the state's id if the input is a state, and otherwise a new id.
 */
export function toRunId(input: RunInput, runId: string | undefined): string {
  const isState = typeof input === 'object' && input !== null && 'runId' in input
  return runId ?? (isState ? input.runId : crypto.randomUUID())
}

/**
 * Copies a decision through JSON.
 * @throws CapstanError `invalid_request` if it contains a value that JSON cannot represent
 */
export function toJsonDecision(decision: Decision, callId: string): Decision {
  try {
    return JSON.parse(JSON.stringify(decision))
  } catch (cause) {
    const message = `The decision on "${callId}" contains a value that JSON cannot represent. Use plain values.`
    throw new CapstanError('invalid_request', message, { cause, evidence: { callId } })
  }
}

/** Returns a hash of a run's input, to compare two starts with the same run id. */
export function hashInput(value: unknown, encoding: 'hex' | 'base64url' = 'hex'): string {
  return createHash('sha256').update(JSON.stringify(value)).digest(encoding)
}

const toolsHashes = new WeakMap<AnyAgent, Promise<string>>()

/** Returns a hash of the tools of an agent and of all agents that its runs can reach. */
export function toolsHash(agent: AnyAgent): Promise<string> {
  const hash = toolsHashes.get(agent) ?? agent.prepare('.').then(({ definitionHash }) => definitionHash)
  toolsHashes.set(agent, hash)
  hash.catch(() => toolsHashes.delete(agent))
  return hash
}
