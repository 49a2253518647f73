import { eventStream, json, splitEvery } from '../answer.js'
import { adds, callOf, chunk, chunkOf, done, event, finish, opens, says, start, usage } from '../chunk.js'
import { callsWith, completion, replies } from '../completion.js'
import { callFails, ran, requestFails, said } from '../expectation.js'
import { inArea, type WireCase } from '../wire-case.js'
import { oslo, ranOslo } from './oslo.js'

const wireCase = inArea('shape')
const markup = '<tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}}</tool_call>'
const refusal = 'I cannot help with that.'
const unreadable = requestFails('invalid_response', { retryable: true })
const silently = 'derived: nothing that a server says is lost silently'
const signature = { extra_content: { google: { thought_signature: 'c2ln' } } }
const signaturePath = 'tool_calls.0.extra_content.google.thought_signature'
const refusals = [
  { calls: [], refusal },
  said(refusal),
  requestFails('invalid_response', { retryable: false, mentions: [refusal] }),
]
const filters = chunkOf([], { prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] })

/** Where content, refusals, choices and further fields are, and what becomes of them. */
export const shape: readonly WireCase[] = [
  wireCase('s01', 'the least there can be: choices, a message, a call', {
    evidence: ['agentgateway/agentgateway#1464', 'maximhq/bifrost#617'],
    plain: json(200, {
      choices: [
        {
          message: {
            tool_calls: [
              { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: oslo } },
            ],
          },
        },
      ],
    }),
    notes: ['no-finish-reason'],
    expect: ranOslo,
  }),
  wireCase('s02', 'content is a list of parts beside a call', {
    evidence: ['meilisearch/meilisearch#6327', 'vercel/ai#4820', 'infiniflow/ragflow#14805'],
    plain: replies({ content: parts('Let me ', 'look.'), tool_calls: [callOf(oslo)] }, 'tool_calls'),
    expect: { ...ranOslo, text: 'Let me look.' },
  }),
  wireCase('s03', 'the call is in the old `function_call`', {
    evidence: [
      'https://platform.openai.com/docs/api-reference/chat/object (function_call)',
      'openai/openai-cookbook#496',
    ],
    level: 'should',
    plain: replies({ function_call: { name: 'get_weather', arguments: oslo } }, 'function_call'),
    notes: ['id-missing', 'old-function-call'],
    expect: [ranOslo, requestFails('invalid_response', { retryable: false, mentions: ['function_call'] })],
  }),
  wireCase('s04', '`reasoning_content` comes with a call and is wanted back', {
    evidence: [
      'QwenLM/qwen-code#3578',
      'earendil-works/pi#3636',
      'https://api-docs.deepseek.com/guides/thinking_mode',
    ],
    level: 'should',
    plain: replies(
      { content: '', tool_calls: [callOf(oslo)], reasoning_content: 'The user wants weather.' },
      'tool_calls',
    ),
    expect: { ...ranOslo, text: '', echo: { reasoning_content: 'The user wants weather.' } },
  }),
  wireCase('s05', 'the answer is a refusal', {
    evidence: ['https://platform.openai.com/docs/api-reference/chat/object (refusal)'],
    plain: replies({ refusal }),
    expect: refusals,
  }),
  wireCase('s06', 'the role is null in every delta', {
    evidence: ['Effect-TS/effect#8333'],
    stream: [
      chunk({ role: null, content: 'Hel' }),
      chunk({ role: null, content: 'lo' }),
      chunk({ role: null, content: null }),
      finish('stop'),
      done,
    ],
    expect: said('Hello'),
  }),
  wireCase('s07', 'two choices in falling order, one with a call', {
    evidence: ['https://platform.openai.com/docs/api-reference/chat/object (choices, n)'],
    plain: json(200, {
      ...completion({}),
      choices: [
        {
          index: 1,
          message: { role: 'assistant', content: null, tool_calls: [callOf(oslo)] },
          finish_reason: 'tool_calls',
        },
        { index: 0, message: { role: 'assistant', content: 'It is sunny.' }, finish_reason: 'stop' },
      ],
    }),
    notes: ['choice-by-index'],
    expect: [said('It is sunny.'), ranOslo],
  }),
  wireCase('s08', 'a text looks like a call', {
    evidence: ['triton-inference-server/server#8772', 'ml-explore/mlx-lm#1756'],
    plain: replies({ content: markup }),
    expect: said(markup),
  }),
  wireCase('s09', 'a call carries a thought signature that is wanted back', {
    evidence: ['tinyhumansai/openhuman#3548', 'HKUDS/nanobot#2453', 'earendil-works/pi#3234'],
    level: 'should',
    plain: callsWith(oslo, signature),
    expect: { ...ranOslo, echo: { [signaturePath]: 'c2ln' } },
  }),
  wireCase('s10', 'the last chunk has usage and no choice', {
    evidence: ['Portkey-AI/gateway#1629', 'openai/openai-agents-js#93', 'meilisearch/meilisearch#6477'],
    stream: [start, opens(oslo), finish('tool_calls'), usage, done],
    expect: ranOslo,
  }),
  wireCase('s11', 'the first chunk has filter results and no choice', {
    evidence: ['meilisearch/meilisearch#6477'],
    stream: [filters, start, opens(oslo), finish('tool_calls'), done],
    expect: ranOslo,
  }),
  wireCase('s12', 'chunks without a choice come in between, one with null for choices', {
    evidence: ['meilisearch/meilisearch#6477', 'Portkey-AI/gateway#1629', 'meltylabs/chorus#64'],
    stream: [
      start,
      opens('{"city":'),
      chunkOf([]),
      chunkOf(null),
      event({}),
      adds('"Oslo"}'),
      finish('tool_calls'),
      done,
    ],
    notes: ['event-passed-over'],
    expect: ranOslo,
  }),
  wireCase('s13', 'usage comes first', {
    evidence: ['Portkey-AI/gateway#1629'],
    stream: [usage, start, says('It is sunny.'), finish('stop'), done],
    expect: said('It is sunny.'),
  }),
  wireCase('s14', '`reasoning_content` comes in pieces and is wanted back whole', {
    evidence: ['earendil-works/pi#3636', 'QwenLM/qwen-code#3578'],
    level: 'should',
    stream: [
      start,
      chunk({ reasoning_content: 'The user ', content: null }),
      chunk({ reasoning_content: 'wants weather.', content: null }),
      opens(oslo),
      finish('tool_calls'),
      done,
    ],
    expect: { ...ranOslo, text: '', echo: { reasoning_content: 'The user wants weather.' } },
  }),
  wireCase('s15', 'a streamed call carries a thought signature that is wanted back', {
    evidence: ['earendil-works/pi#3234', 'tinyhumansai/openhuman#3548'],
    level: 'should',
    stream: [start, opens('{"city":', signature), adds('"Oslo"}'), finish('tool_calls'), done],
    expect: { ...ranOslo, echo: { [signaturePath]: 'c2ln' } },
  }),
  wireCase('s16', 'the message carries a field nobody knows, which is wanted back', {
    evidence: ['earendil-works/pi#3234', 'earendil-works/pi#3636'],
    level: 'should',
    plain: replies(
      { tool_calls: [callOf(oslo)], reasoning_details: [{ text: 'Weather.', signature: 'c2ln' }] },
      'tool_calls',
    ),
    expect: { ...ranOslo, echo: { 'reasoning_details.0.signature': 'c2ln' } },
  }),
  wireCase('s17', 'content is a list of parts in a stream', {
    evidence: ['vercel/ai#17779', 'meilisearch/meilisearch#6327'],
    stream: [start, says(parts('It is ')), says(parts('sunny', '.')), finish('stop'), done],
    expect: said('It is sunny.'),
  }),
  wireCase('s18', 'parts of thought stand before the parts of text', {
    evidence: ['vercel/ai#17779'],
    plain: replies({
      content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }, ...parts('It is sunny.')],
    }),
    expect: said('It is sunny.'),
  }),
  wireCase('s19', 'a refusal comes in pieces', {
    evidence: ['https://platform.openai.com/docs/api-reference/chat-streaming (refusal)'],
    stream: [
      start,
      chunk({ refusal: 'I cannot ' }),
      chunk({ refusal: 'help with that.' }),
      finish('stop'),
      done,
    ],
    expect: refusals,
  }),
  wireCase('s20', 'the chunks of two choices are interleaved', {
    evidence: ['https://platform.openai.com/docs/api-reference/chat-streaming (choices, n)'],
    stream: [
      start,
      chunk({ role: 'assistant', content: 'Rain.' }, { index: 1 }),
      says('It is '),
      chunk({ tool_calls: [callOf(oslo, { index: 0 })] }, { index: 1 }),
      says('sunny.'),
      chunk({}, { index: 1, finish_reason: 'tool_calls' }),
      finish('stop'),
      done,
    ],
    notes: ['choice-by-index'],
    expect: said('It is sunny.'),
  }),
  wireCase('s21', 'the only choice has a number that counts up', {
    evidence: ['microsoft/foundry-local#144'],
    level: 'should',
    stream: [
      chunk({ role: 'assistant', content: 'It is ' }, { index: 197 }),
      chunk({ content: 'sunny.' }, { index: 198 }),
      chunk({}, { index: 199, finish_reason: 'stop' }),
      done,
    ],
    notes: ['choice-by-index'],
    expect: [said('It is sunny.'), requestFails('invalid_response')],
  }),
  wireCase('s22', 'each chunk has the piece in `delta` and the text so far in `message`', {
    evidence: ['perplexityai/api-discussion#209', 'microsoft/foundry-local#221'],
    stream: [
      chunk({ content: 'It is ' }, { message: { role: 'assistant', content: 'It is ' } }),
      chunk({ content: 'sunny.' }, { message: { role: 'assistant', content: 'It is sunny.' } }),
      chunk(
        { content: '' },
        { message: { role: 'assistant', content: 'It is sunny.' }, finish_reason: 'stop' },
      ),
      done,
    ],
    notes: ['text-again'],
    expect: said('It is sunny.'),
  }),
  wireCase('s23', '`tool_calls` and `function_call` are null in a plain text', {
    evidence: ['Effect-TS/effect#7268', 'microsoft/autogen#5222'],
    plain: replies({ content: 'It is sunny.', tool_calls: null, function_call: null }),
    expect: said('It is sunny.'),
  }),
  wireCase('s24', 'a streamed call is in the old `function_call`', {
    evidence: [
      'openai/openai-cookbook#496',
      'https://platform.openai.com/docs/api-reference/chat-streaming (function_call)',
    ],
    level: 'should',
    stream: [
      start,
      chunk({ function_call: { name: 'get_weather', arguments: '' } }),
      chunk({ function_call: { arguments: '{"city":' } }),
      chunk({ function_call: { arguments: '"Oslo"}' } }),
      finish('function_call'),
      done,
    ],
    notes: ['call-by-order', 'id-missing', 'old-function-call'],
    expect: [ranOslo, requestFails('invalid_response', { mentions: ['function_call'] })],
  }),
  wireCase('s25', 'a plain text has no finish reason, no usage, no id', {
    evidence: ['agentgateway/agentgateway#1464', 'the interface promises choices alone'],
    plain: json(200, { choices: [{ message: { role: 'assistant', content: 'It is sunny.' } }] }),
    notes: ['no-finish-reason'],
    expect: said('It is sunny.'),
  }),
  wireCase('s26', 'content is an empty list beside a call, and parts after it', {
    evidence: ['meilisearch/meilisearch#6327', 'the interface: content may be an empty array'],
    plain: replies({ content: [], tool_calls: [callOf(oslo)] }, 'tool_calls'),
    next: [replies({ content: parts('It is ', 'sunny.') })],
    expect: { ...ranOslo, text: '', finalText: 'It is sunny.' },
  }),
  wireCase('s27', 'text, call and reasoning of a stream all arrive a few bytes at a time', {
    evidence: ['agentclientprotocol/python-sdk#135', 'earendil-works/pi#3636'],
    stream: splitEvery(
      7,
      eventStream([
        start,
        chunk({ reasoning_content: 'Größe ' }),
        says('Ein Blick … '),
        opens('{"city":"Zür'),
        adds('ich"}'),
        finish('tool_calls'),
        usage,
        done,
      ]),
    ),
    expect: ran(
      'get_weather',
      { city: 'Zürich' },
      { text: 'Ein Blick … ', echo: { reasoning_content: 'Größe ' } },
    ),
    timeLimitMs: 10_000,
  }),
  wireCase('s28', 'the least a stream can be', {
    evidence: ['agentgateway/agentgateway#1464', 'the interface promises choices and deltas alone'],
    stream: [
      event({ choices: [{ delta: { tool_calls: [callOf('{"city":', { index: 0 })] } }] }),
      event({ choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] } }] }),
      event({ choices: [{ finish_reason: 'tool_calls' }] }),
      done,
    ],
    expect: ranOslo,
  }),
  wireCase('s29', 'half of a surrogate pair is in the text beside a call', {
    evidence: ['anthropics/claude-code#68325', 'earendil-works/pi#2551'],
    level: 'should',
    plain: replies({ content: 'Sunny \ud83d', tool_calls: [callOf(oslo)] }, 'tool_calls'),
    expect: { ...ranOslo, wellFormed: true },
  }),
  wireCase('s30', 'an answer of nothing but reasoning, then [DONE]', {
    evidence: ['earendil-works/pi#3636', 'earendil-works/pi#6225'],
    level: 'should',
    stream: [start, chunk({ reasoning_content: 'Hm.' }), finish('stop'), done],
    // Thought is not the answer; a client may ask for one.
    expect: [
      { calls: [], finalText: 'RECOVERED' },
      said(''),
      said('', { incomplete: true }),
      requestFails('invalid_response'),
    ],
  }),
  wireCase('s31', 'the call has no `function` around its name and arguments', {
    evidence: ['acon96/home-llm#348', 'crewAIInc/crewAI#6657'],
    level: 'should',
    plain: replies({ tool_calls: [{ id: 'call_1', name: 'get_weather', arguments: oslo }] }, 'tool_calls'),
    notes: ['arguments-elsewhere'],
    expect: [callFails('unknown_tool'), requestFails('invalid_response'), ranOslo],
  }),
  wireCase('s32', 'an entry of `tool_calls` is null', {
    evidence: ['endolith/open-interpreter#254'],
    level: 'should',
    plain: replies({ tool_calls: [null, callOf(oslo)] }, 'tool_calls'),
    expect: [ranOslo, callFails('unknown_tool', { calls: ranOslo.calls }), requestFails('invalid_response')],
  }),
  wireCase('s33', 'content is one part and not a list', {
    evidence: [silently],
    level: 'should',
    plain: replies({ content: { type: 'text', text: 'It is sunny.' } }),
    notes: ['object-for-list'],
    expect: [said('It is sunny.'), requestFails('invalid_response')],
  }),
  wireCase('s34', 'a refusal is a part of the content', {
    evidence: ['https://platform.openai.com/docs/api-reference/chat/create (refusal content part)'],
    level: 'should',
    plain: replies({ content: [{ type: 'refusal', refusal }] }),
    expect: refusals,
  }),
  wireCase('s35', 'the choice has a text and no message, as completions of old had', {
    evidence: [silently, 'https://platform.openai.com/docs/api-reference/completions/object'],
    level: 'should',
    plain: json(200, { choices: [{ index: 0, text: 'It is sunny.', finish_reason: 'stop' }] }),
    notes: ['message-beside-choice'],
    expect: [requestFails('invalid_response'), said('It is sunny.')],
  }),
  wireCase('s36', 'the message is null', {
    evidence: [silently, 'promptfoo/promptfoo#9867'],
    level: 'should',
    plain: json(200, { choices: [{ index: 0, message: null, finish_reason: 'stop' }] }),
    expect: [requestFails('invalid_response'), said('', { incomplete: true })],
  }),
  wireCase('s37', '`tool_calls` is one call and not a list', {
    evidence: [silently],
    level: 'should',
    plain: replies({ tool_calls: callOf(oslo) }),
    notes: ['calls-despite-reason', 'object-for-list'],
    expect: [ranOslo, requestFails('invalid_response')],
  }),
  wireCase('s38', 'the answer is the one of another interface, with a message at the top', {
    evidence: ['ollama/ollama#11805', silently],
    level: 'should',
    plain: json(200, { model: 'm', message: { role: 'assistant', content: 'It is sunny.' }, done: true }),
    expect: [requestFails(['invalid_response', 'api']), said('It is sunny.')],
  }),
  wireCase('s39', 'content is a number', {
    evidence: [silently],
    level: 'should',
    plain: replies({ content: 5 }),
    notes: ['object-for-list'],
    expect: [unreadable, said('5')],
  }),
  wireCase('s40', 'content is an object that is no part', {
    evidence: [silently],
    level: 'should',
    plain: replies({ content: { answer: 'It is sunny.' } }),
    notes: ['object-for-list'],
    expect: [unreadable, said('It is sunny.')],
  }),
  wireCase('s41', 'the text of a part is an object', {
    evidence: ['https://platform.openai.com/docs/api-reference/messages/object (text.value)', silently],
    level: 'should',
    stream: [
      start,
      says([{ type: 'text', text: { value: 'It is sunny.', annotations: [] } }]),
      finish('stop'),
      done,
    ],
    expect: [unreadable, said('It is sunny.')],
  }),
  wireCase('s42', '`tool_calls` is an object by index', {
    evidence: [silently],
    level: 'should',
    plain: replies({ tool_calls: { 0: callOf(oslo) } }, 'tool_calls'),
    notes: ['object-for-list'],
    expect: [ranOslo, unreadable],
  }),
  wireCase('s43', '`tool_calls` is a text, and the finish reason promises nothing', {
    evidence: [silently],
    level: 'should',
    plain: replies({ tool_calls: 'get_weather' }),
    notes: ['object-for-list'],
    expect: unreadable,
  }),
  wireCase('s44', 'the entries of `tool_calls` are no calls, and the finish reason promises nothing', {
    evidence: [silently],
    level: 'should',
    plain: replies({ tool_calls: [null, 5] }),
    expect: unreadable,
  }),
  wireCase('s45', 'an empty `error` stands beside a good answer', {
    evidence: [silently],
    level: 'should',
    plain: json(200, { ...completion({ tool_calls: [callOf(oslo)] }, 'tool_calls'), error: {} }),
    expect: ranOslo,
  }),
  wireCase('s46', 'a call is a part of the content', {
    evidence: ['https://docs.anthropic.com/en/api/messages (tool_use)', silently],
    level: 'should',
    plain: replies(
      {
        content: [
          ...parts('Let me look.'),
          { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Oslo' } },
        ],
      },
      'tool_use',
    ),
    notes: ['arguments-as-object', 'arguments-elsewhere', 'call-in-content'],
    expect: [{ ...ranOslo, text: 'Let me look.' }, unreadable],
  }),
  wireCase('s47', 'a text has an empty call beside it', {
    evidence: ['Effect-TS/effect#7268', 'endolith/open-interpreter#254'],
    level: 'should',
    plain: replies({
      content: 'It is sunny.',
      tool_calls: [{ id: '', type: 'function', function: { name: '', arguments: '' } }],
    }),
    expect: [said('It is sunny.'), callFails('unknown_tool')],
  }),
  wireCase('s48', 'texts and parts take turns', {
    evidence: ['vercel/ai#17779'],
    level: 'should',
    stream: [start, says('It '), says(parts('is ')), says('sunny.'), finish('stop'), done],
    expect: said('It is sunny.'),
  }),
  wireCase('s49', 'a signature comes with the head of a call, and null in its place with the tail', {
    evidence: ['earendil-works/pi#3234', 'tinyhumansai/openhuman#3548'],
    level: 'should',
    stream: [
      start,
      opens('{"city":', signature),
      adds('"Oslo"}', { extra_content: null }),
      finish('tool_calls'),
      done,
    ],
    expect: { ...ranOslo, echo: { [signaturePath]: 'c2ln' } },
  }),
  wireCase('s50', 'the text is in `message`, beside a delta without one', {
    evidence: ['jjang-ai/vmlx#219', silently],
    level: 'should',
    stream: [
      chunk(
        { role: 'assistant', content: '' },
        { message: { content: 'It is sunny.' }, finish_reason: 'stop' },
      ),
      done,
    ],
    expect: [said('It is sunny.'), unreadable],
  }),
]

function parts(...texts: readonly string[]): readonly object[] {
  return texts.map((text) => ({ type: 'text', text }))
}
