import { text as body, hangUp, json, withHeaders } from '../../answer.js'
import { oslo, ranOslo } from '../../cases/oslo.js'
import { type Expectation, requestFails } from '../../expectation.js'
import { inArea, type WireCase } from '../../wire-case.js'
import { call, ends, event, opens, says, starts, streamed, textBlock, thinks } from '../message-events.js'
import { messagesWire } from '../messages-wire.js'

const wireCase = inArea('http', messagesWire)
const errors = 'https://platform.claude.com/docs/en/api/errors'
const failure = (type: string, message: string) => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_1',
})
const fails = (type: string, message: string) => event('error', failure(type, message))
const begun = [starts(), opens(textBlock), says('It sn')]
const mentions = (text: string, retryable: boolean) => ({ retryable, mentions: [text] })
const overloaded = requestFails('api', mentions('Overloaded', true))

/** A refusal with this status. */
const refused = (status: number, type: string, expect: Expectation) => ({
  evidence: [errors],
  plain: json(status, failure(type, `The server said ${type}.`)),
  expect,
})

/** Failures of the server, in statuses, bodies and events, and what may be sent again. */
export const http: readonly WireCase[] = [
  wireCase('n31', 'the server is overloaded within a text', {
    evidence: [
      errors,
      'Pasta-Devs/Marinara-Engine#2659',
      'use-agent-os/agent-os#2118',
      'Portkey-AI/gateway#741',
    ],
    stream: [...begun, fails('overloaded_error', 'Overloaded')],
    expect: overloaded,
  }),
  wireCase('n32', 'the server is overloaded after a call that looks complete', {
    evidence: [errors, 'anthropics/anthropic-sdk-go#200'],
    stream: [starts(), ...call(oslo), fails('overloaded_error', 'Overloaded')],
    expect: overloaded,
  }),
  wireCase('n33', 'the first event is an error', {
    evidence: [errors, 'envoyproxy/ai-gateway#2698'],
    stream: [fails('overloaded_error', 'Overloaded')],
    expect: overloaded,
  }),
  wireCase('n34', 'an error has no event name', {
    evidence: ['anthropics/anthropic-sdk-typescript#346'],
    stream: [...begun, `data: ${JSON.stringify(failure('api_error', 'Internal server error'))}\n\n`],
    expect: requestFails('api', mentions('Internal server error', true)),
  }),
  wireCase('n35', 'an error is a text', {
    evidence: ['derived: gateways write their own'],
    stream: [...begun, 'event: error\ndata: upstream went away\n\n'],
    expect: requestFails('api', mentions('upstream went away', true)),
  }),
  wireCase('n36', 'an error comes in place of message_stop', {
    evidence: ['use-agent-os/agent-os#2271'],
    stream: [starts(), ...call(oslo), ends('tool_use'), fails('api_error', 'Internal server error')],
    expect: requestFails('api', mentions('Internal server error', true)),
  }),
  wireCase('n37', 'the rate limit is reached within a stream', {
    evidence: [errors],
    stream: [...begun, fails('rate_limit_error', 'Too many tokens')],
    expect: requestFails('rate_limit', mentions('Too many tokens', true)),
  }),
  wireCase('n38', 'a body with status 200 is an error', {
    evidence: ['derived: gateways set status 200'],
    plain: json(200, failure('overloaded_error', 'Overloaded')),
    expect: overloaded,
  }),
  wireCase('n39', 'status 529: overloaded', {
    evidence: [errors, 'huggingface/tau#333', 'agentscope-ai/QwenPaw#1891'],
    plain: json(529, failure('overloaded_error', 'Overloaded')),
    expect: overloaded,
  }),
  wireCase('n40', 'status 429 says when to ask again', {
    evidence: [errors, 'https://platform.claude.com/docs/en/api/rate-limits'],
    plain: withHeaders(json(429, failure('rate_limit_error', 'Too many requests')), { 'retry-after': '1' }),
    expect: requestFails('rate_limit', { ...mentions('Too many requests', true), retryAfterMs: 1000 }),
  }),
  wireCase(
    'n41',
    'status 400',
    refused(400, 'invalid_request_error', requestFails('invalid_request', mentions('said invalid', false))),
  ),
  wireCase(
    'n42',
    'status 401',
    refused(401, 'authentication_error', requestFails('auth', mentions('said authen', false))),
  ),
  wireCase(
    'n43',
    'status 402',
    refused(402, 'billing_error', requestFails('quota', mentions('said billing', false))),
  ),
  wireCase(
    'n44',
    'status 403',
    refused(403, 'permission_error', requestFails('auth', mentions('said permission', false))),
  ),
  wireCase(
    'n45',
    'status 404',
    refused(404, 'not_found_error', requestFails('not_found', mentions('said not_found', false))),
  ),
  wireCase(
    'n46',
    'status 413',
    refused(413, 'request_too_large', requestFails('invalid_request', mentions('said request', false))),
  ),
  wireCase('n47', 'status 500', refused(500, 'api_error', requestFails('api', mentions('said api', true)))),
  wireCase(
    'n48',
    'status 504',
    refused(504, 'timeout_error', requestFails('timeout', mentions('said timeout', true))),
  ),
  wireCase('n49', 'a proxy answers with a page', {
    evidence: ['derived: proxies write pages'],
    plain: body(502, 'text/html', '<html><head><title>Bad gateway</title></head></html>'),
    expect: requestFails('api', mentions('Bad gateway', true)),
  }),
  wireCase('n50', 'the connection is closed without an answer', {
    evidence: ['anthropics/claude-code#82500'],
    plain: hangUp,
    expect: requestFails('network', { retryable: true }),
  }),
  wireCase('n51', 'the server does not take its own thinking back', {
    evidence: ['NousResearch/hermes-agent#17890'],
    stream: streamed([...thinks('Hm.'), ...call(oslo, 1)], 'tool_use'),
    next: [
      json(400, failure('invalid_request_error', 'messages.1: Invalid `signature` in `thinking` block')),
    ],
    expect: { ...ranOslo, finalText: 'FINAL ANSWER' },
  }),
]
