import { hangUp, json, text, withHeaders } from '../../answer.js'
import { requestFails } from '../../expectation.js'
import { inArea, type WireCase } from '../../wire-case.js'
import { responsesWire } from '../responses-wire.js'
import { derived, guide } from './evidence.js'

const wireCase = inArea('http', responsesWire)
const errors = guide('error-codes')
const failure = (message: string, further: object = {}) => ({
  error: { message, type: 'invalid_request_error', param: null, code: null, ...further },
})

/** Statuses and bodies of failures. */
export const http: readonly WireCase[] = [
  wireCase('rh01', '400: an item is missing', {
    evidence: ['continuedev/continue#8933', 'mastra-ai/mastra#14048'],
    plain: json(
      400,
      failure("Item 'rs_1' of type 'reasoning' was provided without its required following item."),
    ),
    expect: requestFails('invalid_request', { retryable: false, mentions: ['rs_1'] }),
  }),
  wireCase('rh02', '404: an item is not kept', {
    evidence: ['can1357/oh-my-pi#41', 'anomalyco/opencode#8987'],
    plain: json(
      404,
      failure("Item with id 'rs_1' not found. Items are not persisted when `store` is set to false."),
    ),
    expect: requestFails('not_found', { retryable: false, mentions: ['not persisted'] }),
  }),
  wireCase('rh03', '401', {
    evidence: [errors],
    plain: json(401, failure('Incorrect API key provided', { code: 'invalid_api_key' })),
    expect: requestFails('auth', { retryable: false }),
  }),
  wireCase('rh04', '404: the server has no such path', {
    evidence: ['mozilla-ai/any-llm#856', derived('older local servers')],
    plain: text(404, 'text/plain', '404 page not found'),
    expect: requestFails('not_found', { retryable: false }),
  }),
  wireCase('rh05', '429 with a wait', {
    evidence: [errors, 'earendil-works/pi#1458'],
    stream: withHeaders(json(429, failure('Rate limit reached', { code: 'rate_limit_exceeded' })), {
      'retry-after-ms': '120',
    }),
    expect: requestFails('rate_limit', { retryable: true, retryAfterMs: 120 }),
  }),
  wireCase('rh06', '429: no credit is left', {
    evidence: [errors],
    plain: json(429, failure('You exceeded your current quota', { code: 'insufficient_quota' })),
    expect: requestFails('quota', { retryable: false }),
  }),
  wireCase('rh07', '503: overloaded', {
    evidence: [errors, 'openai/codex#41895'],
    stream: json(503, failure('The engine is currently overloaded', { type: 'server_error' })),
    expect: requestFails('api', { retryable: true, mentions: ['overloaded'] }),
  }),
  wireCase('rh08', 'the connection is closed without an answer', {
    evidence: ['openai/codex#22472'],
    stream: hangUp,
    expect: requestFails('network', { retryable: true }),
  }),
  wireCase('rh09', '200 with an error in the body', {
    evidence: ['weave-os/router#331', 'BerriAI/litellm#32718'],
    plain: json(200, { error: { message: 'upstream failed', code: 502 } }),
    expect: requestFails('api', { retryable: true, mentions: ['upstream failed'] }),
  }),
  wireCase('rh10', '200 with a page to sign in at', {
    evidence: [derived('h04 of chat completions')],
    plain: text(200, 'text/html', '<!doctype html><html><head><title>Sign in</title></head></html>'),
    expect: requestFails('invalid_response', { retryable: false }),
  }),
]
