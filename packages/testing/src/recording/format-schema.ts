import { callStatus, findViolation, stateSchema } from '@capstan/core/internal'
import type { RecordedEvent } from './format.js'

const text = { type: 'string' }
const number = { type: 'number' }
const whole = { type: 'integer', minimum: 0 }
const object = { type: 'object' }

const call = {
  type: 'object',
  required: ['id', 'function'],
  properties: {
    id: text,
    function: {
      type: 'object',
      required: ['name', 'arguments'],
      properties: { name: text, arguments: text },
    },
  },
}
const part = { type: 'object', required: ['type'], properties: { type: text, text } }
const message = {
  type: 'object',
  required: ['role'],
  properties: {
    role: { enum: ['system', 'developer', 'user', 'assistant', 'tool'] },
    content: { anyOf: [text, { type: 'null' }, { type: 'array', items: part }] },
    tool_calls: { type: 'array', items: call },
    tool_call_id: text,
  },
}
const messages = { type: 'array', items: message }
const list = { after: text, keep: whole, messages }

const definition = {
  type: 'object',
  required: ['function'],
  properties: {
    function: {
      type: 'object',
      required: ['name'],
      properties: { name: text, description: text, parameters: object },
    },
  },
}
const forced = {
  type: 'object',
  required: ['function'],
  properties: { function: { type: 'object', required: ['name'], properties: { name: text } } },
}
const request = {
  type: 'object',
  required: ['model', 'messages'],
  properties: {
    model: text,
    ...list,
    system: { type: ['string', 'null'] },
    tools: { type: 'array', items: definition },
    toolChoice: { anyOf: [text, forced] },
    settings: object,
  },
}

const retry = {
  type: 'object',
  required: ['code', 'message'],
  properties: { attempt: number, delayMs: number, code: text, message: text, model: text },
}
const retries = { type: 'array', items: retry }
const called = {
  type: 'object',
  required: ['call', 'name', 'arguments'],
  properties: { call: whole, name: text, arguments: text },
}
const thought = { type: 'object', required: ['reasoning'], properties: { reasoning: text } }
const tokens = {
  type: 'object',
  required: ['inputTokens', 'outputTokens', 'totalTokens'],
  properties: {
    inputTokens: number,
    outputTokens: number,
    totalTokens: number,
    cachedInputTokens: number,
    cacheWriteTokens: number,
    reasoningTokens: number,
  },
}
const texts = { type: 'array', items: text }
const writtenCallFields = { form: text, names: texts, recovered: { type: 'boolean' } }
const writtenCalls = {
  type: 'object',
  required: Object.keys(writtenCallFields),
  properties: { ...writtenCallFields, hint: text },
}
const note = {
  type: 'object',
  required: ['code'],
  properties: { code: text, call: whole, from: text, to: text },
}
const reply = {
  type: 'object',
  required: ['message'],
  properties: {
    retries,
    deltas: { type: 'array', items: { anyOf: [text, thought, called] } },
    message,
    finishReason: text,
    tokens,
    model: text,
    textCalls: writtenCalls,
    notes: { type: 'array', items: note },
  },
}
const failure = {
  type: 'object',
  required: ['code', 'message'],
  properties: { code: text, message: text, retries, retryAfterMs: number, status: number },
}

const flag = { type: 'boolean' }
const artifact = {
  type: 'object',
  required: ['id', 'kind', 'mediaType'],
  properties: { id: text, kind: text, mediaType: text },
}
const spending = {
  type: 'object',
  properties: {
    images: number,
    audioSeconds: number,
    characters: number,
    artifacts: number,
    artifactBytes: number,
    model: text,
  },
}
const answer = {
  type: 'object',
  required: ['status', 'content'],
  properties: {
    status: callStatus,
    content: text,
    artifacts: { type: 'array', items: artifact },
    whole: artifact,
    repaired: flag,
    approved: flag,
    background: flag,
    usage: object,
    taintedBy: text,
    spent: { type: 'array', items: spending },
    errorId: text,
    limit: text,
    calls: {
      type: 'array',
      items: { type: 'object', required: ['name', 'status'], properties: { name: text, status: callStatus } },
    },
    ms: number,
  },
}
const outcome = {
  anyOf: [
    answer,
    {
      type: 'object',
      required: ['status', 'kind'],
      properties: { status: { const: 'pending' }, kind: { enum: ['approval', 'result'] }, reason: text },
    },
    {
      type: 'object',
      required: ['status', 'input'],
      properties: { status: { const: 'ready' }, input: text, notes: object },
    },
    {
      type: 'object',
      required: ['status', 'state'],
      properties: { status: { const: 'paused' }, state: object },
    },
  ],
}

const waiting = { callId: text, name: text, arguments: true, kind: { enum: ['approval', 'result', 'input'] } }
const fieldsOfEvents: Readonly<Record<RecordedEvent['type'], object>> = {
  'repair-applied': { callId: text, name: text, repairs: texts },
  'call-pending': waiting,
  'limit-reached': { limit: text },
  'stuck-detected': { stage: text, names: texts },
  'tools-revealed': { names: texts },
  'run-tainted': { by: text },
  'text-calls': writtenCallFields,
  'final-answer-failed': { code: text, message: text },
  'handed-off': { to: text },
  'message-delivered': { text },
  'context-trimmed': { by: text, before: whole, after: whole },
  'context-over': { tokens: whole, maxTokens: whole },
  'effects-left-behind': {
    calls: {
      type: 'array',
      items: {
        type: 'object',
        required: ['callId', 'name', 'arguments'],
        properties: { callId: text, name: text, arguments: text },
      },
    },
  },
  'prefix-broken': { at: text, because: text },
  'context-lost': { sent: whole, reported: whole, window: whole },
  middleware: { name: text, action: text },
}
const event = {
  anyOf: Object.entries(fieldsOfEvents).map(([type, fields]) => ({
    type: 'object',
    required: ['type', ...Object.keys(fields)],
    properties: { type: { const: type }, reason: text, callId: text, hint: text, query: text, ...fields },
  })),
}
const begin = {
  type: 'object',
  required: ['agent', 'limits'],
  anyOf: [{ required: ['messages'] }, { required: ['state'] }],
  properties: {
    agent: text,
    runId: { ...text, minLength: 1 },
    limits: stateSchema.properties.limits,
    messages,
    state: {
      type: 'object',
      required: ['stepCount', 'messages'],
      properties: { stepCount: whole, messages },
    },
  },
}
const end = {
  type: 'object',
  required: ['stopReason', 'steps', 'usage', 'messages'],
  properties: {
    stopReason: { enum: [...stateSchema.properties.stopReason.enum, 'error'] },
    limit: text,
    steps: whole,
    usage: {
      type: 'object',
      required: ['toolCalls', 'totalTokens'],
      properties: { toolCalls: number, totalTokens: number },
    },
    ...list,
  },
}

const kinds = {
  begin,
  request,
  reply,
  failure,
  outcome: { type: 'object', required: ['name', 'came'], properties: { name: text, came: outcome } },
  given: true,
  now: number,
  event,
  end,
}

/** The schema of a line. It requires the fields that readers rely on. */
const lineSchema = {
  type: 'object',
  required: ['run', 'at'],
  properties: { run: number, at: text, ...kinds },
  anyOf: Object.keys(kinds).map((kind) => ({ required: [kind] })),
}

/**
 * Returns a short description of what is wrong with a line. Undefined if the line is valid. Every line is checked,
 * because a file may come from anywhere.
 */
export function findLineProblem(line: unknown): string | undefined {
  if (isDeeperThan(line, maxDepth)) return `it is nested deeper than ${maxDepth} levels`
  const found = findViolation(line, lineSchema)
  return (
    found &&
    [found.path.join('/'), found.message]
      .filter((part) => part !== '')
      .join(' ')
      .slice(0, 120)
  )
}

/** Maximum nesting depth of a line. Deeper values could overflow the stack. */
const maxDepth = 500

function isDeeperThan(value: unknown, levels: number): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
  return false
}
