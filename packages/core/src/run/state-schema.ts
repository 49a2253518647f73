import { limitKinds } from './limit-kinds.js'

const whole = { type: 'integer', minimum: 0 }
const amount = { type: 'number', minimum: 0 }
const text = { type: 'string' }
const texts = { type: 'array', items: text }
const counts = { type: 'object', additionalProperties: whole }

const limit = { enum: Object.keys(limitKinds) }

const artifact = { type: 'object', required: ['id', 'kind', 'mediaType'] }

/** How a call may have ended. */
export const callStatus = { enum: ['ok', 'error', 'rejected', 'denied', 'cut_off', 'not_run'] }

const answer = {
  type: 'object',
  required: ['status', 'content', 'ms'],
  properties: {
    status: callStatus,
    content: text,
    ms: amount,
    artifacts: { type: 'array', items: artifact },
    spent: { type: 'array', items: { type: 'object' } },
    errorId: text,
    limit,
  },
}

const pending = {
  type: 'object',
  required: ['callId', 'name', 'kind'],
  properties: { callId: text, name: text, agent: text, kind: { enum: ['approval', 'result'] }, reason: text },
}

const usage = {
  type: 'object',
  required: ['requests', 'unreported', 'inputTokens', 'outputTokens', 'totalTokens', 'toolCalls', 'perTool'],
  properties: {
    requests: whole,
    unreported: whole,
    inputTokens: amount,
    outputTokens: amount,
    totalTokens: amount,
    toolCalls: whole,
    perTool: counts,
    repairs: whole,
    images: amount,
    audioSeconds: amount,
    characters: amount,
    artifacts: whole,
    artifactBytes: whole,
    seconds: amount,
    cost: { anyOf: [amount, { const: 'unknown' }] },
  },
}

const bounds = { whole, amount, perTool: counts }
const limits = {
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(Object.entries(limitKinds).map(([name, kind]) => [name, bounds[kind]])),
}

const flags = {
  type: 'object',
  properties: {
    forcedChoiceUsed: { type: 'boolean' },
    incomplete: { type: 'boolean' },
    landed: { type: 'boolean' },
    landings: whole,
    silent: { type: 'boolean' },
    shortened: { type: 'boolean' },
    failed: text,
    misshapen: whole,
    outputByTool: { type: 'boolean' },
    passed: limit,
    lastRequest: {
      type: 'object',
      required: ['tokens', 'cost'],
      properties: { tokens: amount, cost: amount },
    },
    rejections: counts,
    recent: { type: 'array', items: texts },
    repeats: whole,
    withheld: texts,
    approved: texts,
    taintedBy: text,
  },
}

/** What a run state of schema 1 is, its messages aside. It is released: fields may be added, none may change. */
export const stateSchema = {
  type: 'object',
  required: [
    'schema',
    'runId',
    'agent',
    'definitionHash',
    'turn',
    'messages',
    'answered',
    'pending',
    'usage',
    'limits',
    'flags',
  ],
  properties: {
    schema: { const: 1 },
    runId: { ...text, minLength: 1 },
    agent: text,
    definitionHash: text,
    turn: whole,
    messages: { type: 'array' },
    answered: {
      type: 'object',
      propertyNames: { pattern: '^(0|[1-9][0-9]*)$' },
      additionalProperties: answer,
    },
    pending: { type: 'array', items: pending },
    usage,
    limits,
    artifacts: { type: 'array', items: artifact },
    children: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['state', 'round'],
        properties: { state: { $ref: '#' }, round: whole },
      },
    },
    decisions: { type: 'object' },
    stopReason: {
      enum: [
        'done',
        'pending',
        'limit',
        'stuck',
        'condition',
        'length',
        'refusal',
        'content_filter',
        'aborted',
      ],
    },
    limit,
    flags,
  },
}
