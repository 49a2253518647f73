import { eventStream, hangUp, json, text, withHeaders } from '../answer.js'
import { done, finish, opens, start } from '../chunk.js'
import { callsWith } from '../completion.js'
import { requestFails } from '../expectation.js'
import { inArea, type WireCase } from '../wire-case.js'
import { oslo, ranOslo } from './oslo.js'

const wireCase = inArea('http')
const openaiErrors = 'https://platform.openai.com/docs/guides/error-codes'
const openrouterErrors = 'https://openrouter.ai/docs/api-reference/errors'
const call = [start, opens(oslo), finish('tool_calls'), done]
const failed = (message: string, further: object = {}) => ({
  error: { message, type: 'error', param: null, ...further },
})
const limited = json(429, failed('Rate limit reached for requests', { code: 'rate_limit_exceeded' }))
const page = (title: string) =>
  `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`
const boom = json(500, { error: { message: 'boom' } })

/** Statuses, headers and bodies of failures, and what may be sent again. */
export const http: readonly WireCase[] = [
  wireCase('h01', '200 with no choice', {
    evidence: ['promptfoo/promptfoo#9867', 'thivy/azure-openai-js-stream#3'],
    plain: json(200, { id: 'x', object: 'chat.completion', created: 1, model: 'm', choices: [] }),
    expect: requestFails('invalid_response', { retryable: true }),
  }),
  wireCase('h02', '200 with a stream of no event', {
    evidence: ['open-legal-products/mike#379', 'mnfst/llm-gateway#2716'],
    stream: [],
    expect: requestFails(['invalid_response', 'truncated'], { retryable: true }),
  }),
  wireCase('h03', '200 with an error in the body that says 429', {
    evidence: ['xyOz-dev/Saturn#43', 'Aider-AI/aider#3550'],
    plain: json(200, {
      error: {
        message: 'Rate limit exceeded: free-models-per-day',
        code: 429,
        metadata: { provider_name: 'x' },
      },
      user_id: 'user_1',
    }),
    expect: requestFails('rate_limit', { retryable: true, mentions: ['free-models-per-day'] }),
  }),
  wireCase('h04', '200 with a page to sign in at', {
    evidence: ['bountybench/bountybench#670'],
    plain: text(200, 'text/html; charset=utf-8', `<!doctype html>${page('Sign in')}`),
    expect: requestFails('invalid_response', { retryable: false }),
  }),
  wireCase('h05', '400 with the error in a list', {
    evidence: ['FuzzAnything/PromptFuzz#42', '0xsline/OpenChatCut#6', 'Gitlawb/openclaude#76'],
    plain: json(400, [
      {
        error: {
          code: 400,
          message: 'Function call is missing a thought_signature in functionCall parts.',
          status: 'INVALID_ARGUMENT',
        },
      },
    ]),
    expect: requestFails('invalid_request', { retryable: false, mentions: ['missing a thought_signature'] }),
  }),
  wireCase('h06', '401 as documented', {
    evidence: [openaiErrors],
    plain: json(401, failed('Incorrect API key provided: sk-test.', { code: 'invalid_api_key' })),
    expect: requestFails('auth', { retryable: false, mentions: ['Incorrect API key'] }),
  }),
  wireCase('h07', '404 with a string for an error', {
    evidence: ['openai/openai-node#1734'],
    plain: json(404, { error: 'model "nope" not found, try pulling it first' }),
    expect: requestFails('not_found', { retryable: false, mentions: ['not found, try pulling'] }),
  }),
  wireCase('h08', '408', {
    evidence: [openaiErrors],
    plain: json(408, failed('Request timed out', { code: 'timeout' })),
    expect: requestFails('timeout', { retryable: true, mentions: ['timed out'] }),
  }),
  wireCase('h09', '429 that asks for a day of patience', {
    evidence: ['CopilotKit/CopilotKit#3842'],
    level: 'should',
    plain: withHeaders(limited, { 'retry-after': '86400' }),
    expect: requestFails('rate_limit', { retryable: true }),
  }),
  wireCase('h10', '429 with retry-after-ms, to a request for a stream', {
    evidence: ['anthropics/anthropic-sdk-typescript#357'],
    level: 'should',
    stream: withHeaders(limited, { 'retry-after-ms': '1500' }),
    expect: requestFails('rate_limit', { retryable: true, retryAfterMs: 1500 }),
  }),
  wireCase('h11', '429 with retry-after in seconds', {
    evidence: ['CopilotKit/CopilotKit#3842', 'BerriAI/litellm#4695', 'tinyhumansai/openhuman#6504'],
    plain: withHeaders(limited, { 'retry-after': '2' }),
    expect: requestFails('rate_limit', {
      retryable: true,
      retryAfterMs: 2000,
      mentions: ['Rate limit reached'],
    }),
  }),
  wireCase('h12', '500 once, after a tool has run', {
    evidence: ['tinyhumansai/openhuman#6504'],
    stream: call,
    next: [boom],
    retries: [2],
    expect: { ...ranOslo, finalText: 'FINAL ANSWER' },
  }),
  wireCase('h13', '503 with a page', {
    evidence: ['bountybench/bountybench#670', 'scality/backbeat#2671'],
    stream: text(503, 'text/html', page('503 Service Temporarily Unavailable')),
    expect: requestFails('api', { retryable: true, mentions: ['503'] }),
  }),
  wireCase('h14', 'the socket is destroyed before any answer', {
    evidence: ['vercel/ai#2698'],
    plain: hangUp,
    expect: requestFails('network', { retryable: true }),
  }),
  wireCase('h15', '402', {
    evidence: [openrouterErrors],
    plain: json(402, { error: { code: 402, message: 'Insufficient credits. Add more to continue.' } }),
    expect: requestFails(['quota', 'invalid_request'], {
      retryable: false,
      mentions: ['Insufficient credits'],
    }),
  }),
  wireCase('h16', '409', {
    evidence: [openaiErrors],
    plain: json(409, failed('The resource is locked by another request')),
    expect: requestFails(['conflict', 'invalid_request', 'api'], { mentions: ['locked by another'] }),
  }),
  wireCase('h17', '422 with a list of details', {
    evidence: ['openclaw/openclaw#57672'],
    plain: json(422, {
      detail: [{ loc: ['body', 'tools', 0], msg: 'extra fields not permitted', type: 'value_error.extra' }],
    }),
    expect: requestFails('invalid_request', { retryable: false, mentions: ['extra fields not permitted'] }),
  }),
  wireCase('h18', '504 with a page', {
    evidence: ['scality/backbeat#2671'],
    plain: text(504, 'text/html', page('504 Gateway Time-out')),
    expect: requestFails(['timeout', 'api'], { retryable: true, mentions: ['504'] }),
  }),
  wireCase('h19', '502 with a page, to a request for a stream', {
    evidence: ['bountybench/bountybench#670'],
    stream: text(502, 'text/html', page('502 Bad Gateway')),
    expect: requestFails('api', { retryable: true, mentions: ['502'] }),
  }),
  wireCase('h20', '429 with retry-after as a date', {
    evidence: ['CopilotKit/CopilotKit#3842', 'https://www.rfc-editor.org/rfc/rfc9110#field.retry-after'],
    level: 'should',
    plain: withHeaders(limited, { 'retry-after': { secondsFromNow: 3 } }),
    // A date has no milliseconds: at least two of the three seconds are left.
    expect: requestFails('rate_limit', { retryable: true, retryAfterMs: 1900 }),
  }),
  wireCase('h21', '429 because the quota is used up', {
    evidence: [openaiErrors, 'CopilotKit/CopilotKit#3842'],
    plain: json(
      429,
      failed('You exceeded your current quota.', { type: 'insufficient_quota', code: 'insufficient_quota' }),
    ),
    expect: requestFails('quota', { retryable: false, mentions: ['exceeded your current quota'] }),
  }),
  wireCase('h22', '403', {
    evidence: [openaiErrors],
    plain: json(403, failed('Country, region, or territory not supported')),
    expect: requestFails('auth', { retryable: false, mentions: ['territory not supported'] }),
  }),
  wireCase('h23', '400 with a string for a detail', {
    evidence: ['openclaw/openclaw#57672'],
    plain: json(400, { detail: 'Unsupported parameter: tools' }),
    expect: requestFails('invalid_request', { retryable: false, mentions: ['Unsupported parameter'] }),
  }),
  wireCase('h24', '400 with the message at the top', {
    evidence: ['openclaw/openclaw#57672', 'openai/openai-node#1734'],
    stream: json(400, {
      object: 'error',
      message: 'This model does not support tool use',
      type: 'BadRequestError',
      param: null,
      code: 400,
    }),
    expect: requestFails('invalid_request', { retryable: false, mentions: ['does not support tool use'] }),
  }),
  wireCase('h25', '500 with nothing', {
    evidence: ['vercel/ai#2698'],
    plain: text(500, 'text/plain', ''),
    expect: requestFails('api', { retryable: true, mentions: ['500'] }),
  }),
  wireCase('h26', '200 with nothing', {
    evidence: ['openai/openai-node#1998'],
    plain: text(200, 'application/json', ''),
    expect: requestFails(['invalid_response', 'truncated'], { retryable: true }),
  }),
  wireCase('h27', '413 with a page', {
    evidence: ['bountybench/bountybench#670'],
    plain: text(413, 'text/html', page('413 Request Entity Too Large')),
    expect: requestFails('invalid_request', { retryable: false, mentions: ['413'] }),
  }),
  wireCase('h28', '404 with a page', {
    evidence: ['bountybench/bountybench#670'],
    stream: text(404, 'text/html', page('Not Found')),
    expect: requestFails('not_found', { retryable: false, mentions: ['404'] }),
  }),
  wireCase('h29', '400 with a list of errors', {
    evidence: ['anomalyco/opencode#23773'],
    level: 'should',
    plain: json(400, {
      result: null,
      success: false,
      errors: [{ code: 5007, message: 'No such model @cf/nope' }],
      messages: [],
    }),
    expect: requestFails(['invalid_request', 'not_found'], {
      retryable: false,
      mentions: ['No such model @cf/nope'],
    }),
  }),
  wireCase('h30', '200 with a list of errors and no success', {
    evidence: ['cloudflare/cloudflare-docs#15116'],
    level: 'should',
    plain: json(200, {
      result: null,
      success: false,
      errors: [{ code: 7009, message: 'Upstream service unavailable' }],
      messages: [],
    }),
    expect: requestFails(['api', 'invalid_response'], { mentions: ['Upstream service unavailable'] }),
  }),
  wireCase('h31', '400 because the conversation is too long', {
    evidence: [openaiErrors],
    plain: json(400, failed('maximum context length is 8192 tokens', { code: 'context_length_exceeded' })),
    expect: requestFails('context_length_exceeded', {
      retryable: false,
      mentions: ['maximum context length'],
    }),
  }),
  wireCase('h32', '529', {
    evidence: ['anthropics/anthropic-sdk-typescript#357', openrouterErrors],
    level: 'should',
    stream: json(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    expect: requestFails('api', { retryable: true, mentions: ['529', 'Overloaded'] }),
  }),
  wireCase('h33', 'every request gets a 503', {
    evidence: ['scality/backbeat#2671', 'BerriAI/litellm#4695'],
    plain: json(503, failed('No capacity')),
    again: [json(503, failed('No capacity')), json(503, failed('No capacity'))],
    expect: requestFails('api', { retryable: true, mentions: ['No capacity'] }),
  }),
  wireCase('h34', '400 to the results of a tool', {
    evidence: ['FuzzAnything/PromptFuzz#42', 'earendil-works/pi#3636'],
    plain: callsWith(oslo),
    next: [json(400, failed('reasoning_content must be passed back'))],
    expect: requestFails('invalid_request', {
      calls: ranOslo.calls,
      retryable: false,
      mentions: ['reasoning_content must be passed back'],
    }),
  }),
  wireCase('h35', 'the socket is destroyed once, after a tool has run', {
    evidence: ['tinyhumansai/openhuman#6504', 'vercel/ai#2698'],
    plain: callsWith(oslo),
    next: [hangUp],
    retries: [2],
    expect: { ...ranOslo, finalText: 'FINAL ANSWER' },
  }),
  wireCase('h36', '429 once, and then a stream with a call', {
    evidence: ['BerriAI/litellm#4695'],
    stream: withHeaders(limited, { 'retry-after': '0' }),
    again: [eventStream(call)],
    retries: [2],
    expect: { ...ranOslo, asked: 2, finalText: 'FINAL ANSWER' },
  }),
  wireCase('h37', 'a retry-after that is no time', {
    evidence: ['CopilotKit/CopilotKit#3842'],
    level: 'should',
    plain: withHeaders(limited, { 'retry-after': 'soon' }),
    expect: requestFails('rate_limit', { retryable: true, mentions: ['Rate limit reached'] }),
  }),
  wireCase('h38', '204', {
    evidence: ['open-legal-products/mike#379'],
    plain: { status: 204, headers: {}, writes: [], end: 'clean' },
    expect: requestFails(['invalid_response', 'truncated']),
  }),
  wireCase('h39', 'a redirect to a page to sign in at', {
    evidence: ['bountybench/bountybench#670'],
    level: 'should',
    plain: { ...text(302, 'text/html', page('Sign in')), headers: { location: '/login' } },
    expect: requestFails(['invalid_response', 'invalid_request', 'api', 'not_found', 'auth']),
    retries: [0],
  }),
  wireCase('h40', 'an error without words', {
    evidence: ['openai/openai-node#1734'],
    level: 'should',
    plain: json(400, { error: { message: '', code: 'tool_choice_unsupported' } }),
    expect: requestFails('invalid_request', {
      retryable: false,
      mentions: ['400', 'tool_choice_unsupported'],
    }),
  }),
  wireCase('h41', '200 with an error whose code is a word', {
    evidence: [openrouterErrors, 'xyOz-dev/Saturn#43'],
    plain: json(200, failed('Slow down, please', { code: 'rate_limit_exceeded' })),
    expect: requestFails('rate_limit', { retryable: true, mentions: ['Slow down'] }),
  }),
  wireCase('h42', '200 with an error that says the key is wrong', {
    evidence: [openrouterErrors, openaiErrors],
    stream: json(200, failed('Wrong key', { type: 'authentication_error' })),
    expect: requestFails('auth', { retryable: false, mentions: ['Wrong key'] }),
  }),
  wireCase('h43', 'a redirect to another server, which must not see the key', {
    evidence: ['https://www.rfc-editor.org/rfc/rfc9110#name-redirection-3xx'],
    level: 'should',
    plain: {
      ...text(307, 'text/html', page('Moved')),
      headers: { location: 'https://elsewhere.invalid/v1/chat/completions' },
    },
    expect: requestFails(['invalid_request', 'invalid_response', 'api', 'not_found'], {
      retryable: false,
      mentions: ['elsewhere.invalid'],
    }),
  }),
  wireCase('h44', '200 with an empty list of choices and a complaint', {
    evidence: ['promptfoo/promptfoo#9867', 'openclaw/openclaw#57672'],
    plain: json(200, { choices: [], message: 'Your plan has expired' }),
    expect: requestFails(['api', 'invalid_response', 'quota'], { mentions: ['Your plan has expired'] }),
  }),
  wireCase('h45', '200 with a list of one error that says 429', {
    evidence: ['FuzzAnything/PromptFuzz#42', 'https://ai.google.dev/gemini-api/docs/troubleshooting'],
    plain: json(200, [{ error: { code: 429, message: 'Quota exceeded', status: 'RESOURCE_EXHAUSTED' } }]),
    expect: requestFails('rate_limit', { retryable: true, mentions: ['Quota exceeded'] }),
  }),
  wireCase('h46', '200 with the complaint in a field of its own', {
    evidence: ['https://www.minimaxi.com/document/guides/chat-model (base_resp)'],
    level: 'should',
    plain: json(200, { choices: null, base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }),
    expect: requestFails(['quota', 'api', 'invalid_response'], { mentions: ['insufficient balance'] }),
  }),
]
