import { eventStream, text, withHeaders } from '../answer.js'
import { adds, callOf, chunk, done, finish, opens, says, start, usage } from '../chunk.js'
import { completion, replies } from '../completion.js'
import { callFails, ran, ranAll, requestFails, said } from '../expectation.js'
import { getTime, getWeather, saveNote } from '../tool-shapes.js'
import { inArea, type WireCase } from '../wire-case.js'
import { oslo, ranOslo } from './oslo.js'

const wireCase = inArea('finish')
const note = { name: 'save_note' }
const cutNote = '{"title":"plan","body":"fi'
const retryable = { retryable: true }

/** Finish reasons that mislead, and streams that end in other ways than the documented one. */
export const finishing: readonly WireCase[] = [
  wireCase('f01', 'the socket stays open after [DONE]', {
    evidence: ['agentscope-ai/agentscope-java#2073', 'micz/ThunderAI#252', 'vastsa/PI-Desktop#217'],
    stream: eventStream([start, opens(oslo), finish('tool_calls'), done], { end: 'open' }),
    expect: ranOslo,
    timeLimitMs: 3000,
  }),
  wireCase('f02', 'the stream ends cleanly in the middle of the arguments', {
    evidence: ['esengine/DeepSeek-Reasonix#3957', 'CommandCodeAI/command-code#785'],
    question: 'Save a note',
    tools: [saveNote],
    stream: [start, opens(cutNote, note)],
    expect: [requestFails('truncated', retryable), callFails('invalid_arguments')],
  }),
  wireCase('f03', 'the token limit cuts the arguments', {
    evidence: ['langchain-ai/langchainjs#11469', 'ahwurm/localharness#77', 'XpressAI/xaibo#33'],
    question: 'Save a long note',
    tools: [saveNote],
    stream: [start, opens('{"title":"hosts","body":"line1', note), finish('length'), done],
    expect: callFails('truncated'),
  }),
  wireCase('f04', '[DONE] never comes', {
    evidence: ['chand1012/openai-cf-workers-ai#7', 'esengine/DeepSeek-Reasonix#3957'],
    stream: [start, opens(oslo), finish('tool_calls')],
    expect: ranOslo,
  }),
  wireCase('f05', 'the finish reason never comes, [DONE] does', {
    evidence: ['earendil-works/pi#5793', 'earendil-works/pi#6225', 'waybarrios/vllm-mlx#672'],
    stream: [start, opens(oslo), done],
    notes: ['no-finish-reason'],
    expect: [ranOslo, requestFails('truncated', retryable)],
  }),
  wireCase('f06', 'the socket is destroyed after a call that looks complete', {
    evidence: ['NousResearch/hermes-agent#100160', 'CommandCodeAI/command-code#785'],
    level: 'should',
    stream: eventStream([start, opens(oslo)], { end: 'reset' }),
    expect: [
      requestFails(['network', 'truncated'], retryable),
      requestFails(['network', 'truncated'], { ...retryable, calls: ranOslo.calls }),
    ],
  }),
  wireCase('f07', 'the socket is destroyed in the middle of the arguments', {
    evidence: ['CommandCodeAI/command-code#785', 'vercel/ai#2698'],
    question: 'Save a note',
    tools: [saveNote],
    stream: eventStream([start, opens(cutNote, note)], { end: 'reset' }),
    expect: requestFails(['network', 'truncated'], retryable),
  }),
  wireCase('f08', 'the finish reason of a call is `stop`', {
    evidence: ['openai/openai-dotnet#64', 'ENTERPILOT/GoModel#124', 'sgl-project/sglang#2877'],
    plain: replies({ content: '', tool_calls: [callOf(oslo)] }, 'stop'),
    notes: ['calls-despite-reason'],
    expect: ranOslo,
  }),
  wireCase('f09', 'calls are announced and none is sent', {
    evidence: ['OpenRouterTeam/openrouter-examples#67', 'OpenRouterTeam/ai-sdk-provider#166'],
    level: 'should',
    plain: replies({ tool_calls: [] }, 'tool_calls'),
    expect: [requestFails('invalid_response', retryable), said('', { incomplete: true })],
  }),
  wireCase('f10', 'cut arguments are labelled `tool_calls`', {
    evidence: ['vllm-project/vllm#58228', 'NousResearch/hermes-agent#7693'],
    question: 'Save a long note',
    tools: [saveNote],
    stream: [start, opens('{"title":"plan","body":"first', note), finish('tool_calls'), done],
    expect: callFails('invalid_arguments', { mentions: ['save_note'] }),
  }),
  wireCase('f11', 'the finish reason is empty in every chunk but the last', {
    evidence: ['adolfousier/opencrabs#1499', 'RayBytes/ChatMock#114'],
    stream: [
      chunk({ role: 'assistant', content: '' }, { finish_reason: '' }),
      chunk({ tool_calls: [callOf('{"city":', { index: 0 })] }, { finish_reason: '' }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] }, { finish_reason: '' }),
      finish('tool_calls'),
      done,
    ],
    expect: ranOslo,
  }),
  wireCase('f12', 'the finish reason is empty to the end, and [DONE] does not come', {
    evidence: ['adolfousier/opencrabs#1499', 'CommandCodeAI/command-code#785'],
    question: 'Save a note',
    tools: [saveNote],
    stream: [start, chunk({ tool_calls: [callOf(cutNote, { index: 0, ...note })] }, { finish_reason: '' })],
    expect: [requestFails('truncated', retryable), callFails('invalid_arguments')],
  }),
  wireCase('f13', 'two finish reasons, `tool_calls` and then `stop`', {
    evidence: ['ENTERPILOT/GoModel#124', 'earendil-works/pi#5793'],
    stream: [start, opens(oslo), finish('tool_calls'), finish('stop'), done],
    notes: ['calls-despite-reason'],
    expect: ranOslo,
  }),
  wireCase('f14', 'a call comes after the finish reason', {
    evidence: ['ENTERPILOT/GoModel#124', 'RayBytes/ChatMock#114'],
    stream: [start, finish('stop'), opens(oslo), finish('tool_calls'), done],
    expect: ranOslo,
  }),
  wireCase('f15', 'the finish reason is `tool_use`', {
    evidence: ['maximhq/bifrost#617', 'theopenco/llmgateway#581'],
    stream: [start, opens(oslo), finish('tool_use'), done],
    expect: ranOslo,
  }),
  wireCase('f16', 'the finish reason of a text is a word nobody knows', {
    evidence: ['adolfousier/opencrabs#1499'],
    plain: replies({ content: 'It is sunny.' }, 'end_turn'),
    expect: said('It is sunny.'),
  }),
  wireCase('f17', 'a text ends with [DONE] and without a finish reason', {
    evidence: ['earendil-works/pi#5793', 'waybarrios/vllm-mlx#672'],
    stream: [start, says('It is '), says('sunny.'), done],
    notes: ['no-finish-reason'],
    expect: [said('It is sunny.'), requestFails('truncated', retryable)],
  }),
  wireCase('f18', 'a text ends with neither a finish reason nor [DONE]', {
    evidence: ['esengine/DeepSeek-Reasonix#3957', 'SamSaffron/term-llm#448'],
    stream: [start, says('It is '), says('sun')],
    notes: ['no-finish-reason'],
    expect: [said('It is sun', { incomplete: true }), requestFails(['truncated', 'network'], retryable)],
  }),
  wireCase('f19', 'the token limit cuts a text', {
    evidence: ['https://platform.openai.com/docs/api-reference/chat/object (finish_reason)'],
    plain: replies({ content: 'It is sun' }, 'length'),
    expect: [said('It is sun', { incomplete: true }), requestFails('truncated')],
  }),
  wireCase('f20', 'a filter cuts a text', {
    evidence: ['https://platform.openai.com/docs/api-reference/chat/object (finish_reason)'],
    stream: [start, says('It is '), finish('content_filter'), done],
    expect: [said('It is ', { incomplete: true }), requestFails(['truncated', 'invalid_response'])],
  }),
  wireCase('f21', 'the token limit cuts the arguments of a plain answer', {
    evidence: ['langchain-ai/langchainjs#11469', 'vllm-project/vllm#46303'],
    question: 'Save a long note',
    tools: [saveNote],
    plain: replies({ tool_calls: [callOf(cutNote, note)] }, 'length'),
    expect: callFails('truncated'),
  }),
  wireCase('f22', 'the token limit came just after complete arguments', {
    evidence: ['vllm-project/vllm#47963'],
    level: 'should',
    stream: [start, opens(oslo), finish('length'), done],
    expect: [ranOslo, callFails('truncated'), requestFails('truncated')],
  }),
  wireCase('f23', 'the token limit cuts the second of two calls', {
    evidence: ['vllm-project/vllm#46303', 'aws-samples/bedrock-access-gateway#197'],
    question: 'Weather in Oslo, and save a note',
    level: 'should',
    tools: [getWeather, saveNote],
    stream: [start, opens(oslo), opens(cutNote, { ...note, index: 1, id: 'call_2' }), finish('length'), done],
    expect: [
      callFails('truncated', { calls: ranOslo.calls, mentions: ['save_note'] }),
      callFails('truncated', { mentions: ['save_note'] }),
    ],
  }),
  wireCase('f24', 'the socket stays open after the finish reason, and [DONE] does not come', {
    evidence: ['maximhq/bifrost#6784', 'musistudio/claude-code-router#1271', 'diegosouzapw/OmniRoute#6791'],
    level: 'should',
    stream: eventStream([start, opens(oslo), finish('tool_calls')], { end: 'open' }),
    notes: ['left-open'],
    expect: [ranOslo, requestFails('timeout', retryable)],
  }),
  wireCase('f25', '[DONE] comes twice, and then bytes that are nothing', {
    evidence: ['agentscope-ai/agentscope-java#2073', 'openai/openai-python#3510'],
    stream: [start, opens(oslo), finish('tool_calls'), done, done, 'data: {"choices":[{"ind\n\n'],
    expect: ranOslo,
  }),
  wireCase('f26', 'calls are announced in a stream and none is sent', {
    evidence: ['OpenRouterTeam/openrouter-examples#67'],
    level: 'should',
    stream: [start, finish('tool_calls'), done],
    expect: [requestFails('invalid_response', retryable), said('', { incomplete: true })],
  }),
  wireCase('f27', 'calls are announced, and a text is sent', {
    evidence: ['OpenRouterTeam/ai-sdk-provider#166', 'vllm-project/vllm#53256'],
    level: 'should',
    plain: replies({ content: 'It is sunny.' }, 'tool_calls'),
    expect: [
      requestFails('invalid_response', retryable),
      said('It is sunny.'),
      said('It is sunny.', { incomplete: true }),
    ],
  }),
  wireCase('f28', 'the stream ends cleanly after a call that looks complete', {
    evidence: ['CommandCodeAI/command-code#785', 'SamSaffron/term-llm#448'],
    level: 'should',
    stream: [start, opens(oslo)],
    expect: requestFails('truncated', retryable),
  }),
  wireCase('f29', 'streams of this server never mark their end; plain answers need no mark', {
    evidence: ['CommandCodeAI/command-code#785', 'the interface promises neither mark'],
    level: 'should',
    stream: [start, opens(oslo)],
    again: [replies({ tool_calls: [callOf(oslo)] }, null)],
    retries: [2],
    notes: ['no-finish-reason'],
    expect: [{ ...ranOslo, asked: 2 }, requestFails('truncated', retryable)],
  }),
  wireCase('f30', 'the socket is destroyed in the middle of a text', {
    evidence: ['vercel/ai#2698'],
    stream: eventStream([start, says('It is sun')], { end: 'reset' }),
    expect: [requestFails(['network', 'truncated'], retryable), said('It is sun', { incomplete: true })],
  }),
  wireCase('f31', 'a plain body is shorter than its content-length', {
    evidence: ['vercel/ai#2698', 'esengine/DeepSeek-Reasonix#3957'],
    plain: {
      ...withHeaders(
        text(200, 'application/json', JSON.stringify(completion({ content: 'Hi.' })).slice(0, 150)),
        {
          'content-length': '400',
        },
      ),
      end: 'reset',
    },
    expect: requestFails(['network', 'truncated', 'invalid_response'], retryable),
  }),
  wireCase('f32', 'a plain body ends cleanly in the middle of its JSON', {
    evidence: ['esengine/DeepSeek-Reasonix#3957'],
    plain: text(200, 'application/json', JSON.stringify(completion({ content: 'Hi there.' })).slice(0, 170)),
    expect: requestFails(['invalid_response', 'truncated'], retryable),
  }),
  wireCase('f33', 'the token limit cuts the arguments of a tool that needs none', {
    evidence: ['vllm-project/vllm#46303'],
    level: 'should',
    question: 'What time is it?',
    tools: [getTime],
    stream: [start, opens('{"zo', { name: 'get_time' }), finish('length'), done],
    expect: callFails('truncated'),
  }),
  wireCase('f34', 'the finish reason is `stop` in a stream with two calls', {
    evidence: ['ENTERPILOT/GoModel#124', 'openai/openai-dotnet#64'],
    question: 'Weather in Oslo, and what time is it?',
    tools: [getWeather, getTime],
    stream: [
      start,
      opens('{"city":'),
      opens('', { name: 'get_time', index: 1, id: 'call_2' }),
      adds('"Oslo"}'),
      finish('stop'),
      usage,
      done,
    ],
    notes: ['arguments-empty', 'calls-despite-reason'],
    expect: ranAll([
      ['get_weather', { city: 'Oslo' }],
      ['get_time', {}],
    ]),
  }),
  wireCase('f35', 'a plain call has no finish reason at all', {
    evidence: ['waybarrios/vllm-mlx#672', 'the interface does not promise it'],
    plain: replies({ tool_calls: [callOf('{"city":"Rome"}')] }, null),
    notes: ['no-finish-reason'],
    expect: ran('get_weather', { city: 'Rome' }),
  }),
  wireCase('f36', 'the finish reason is `error`, without a word about which', {
    evidence: ['https://openrouter.ai/docs/api-reference/overview (finish_reason)'],
    level: 'should',
    stream: [start, says('It is '), finish('error'), done],
    expect: [requestFails(['api', 'invalid_response', 'truncated']), said('It is ', { incomplete: true })],
  }),
  wireCase('f37', 'the token limit cuts a text, in capitals and other words', {
    evidence: ['https://ai.google.dev/api/generate-content (FinishReason)', 'maximhq/bifrost#617'],
    stream: [start, says('It is sun'), finish('MAX_TOKENS'), done],
    notes: ['finish-reason-read'],
    expect: [said('It is sun', { incomplete: true }), requestFails('truncated')],
  }),
  wireCase(
    'f38',
    'the token limit, called `model_length`, comes before the arguments of a tool that needs none',
    {
      evidence: ['https://docs.mistral.ai/api/ (finish_reason)', 'vllm-project/vllm#46303'],
      question: 'What time is it?',
      tools: [getTime],
      stream: [start, opens('', { name: 'get_time' }), finish('model_length'), done],
      notes: ['arguments-empty', 'finish-reason-read'],
      expect: [callFails('truncated'), requestFails('truncated')],
    },
  ),
  wireCase('f39', 'the server runs out of resources in a call', {
    evidence: ['https://api-docs.deepseek.com/api/create-chat-completion (finish_reason)'],
    question: 'What time is it?',
    tools: [getTime],
    stream: [start, opens('', { name: 'get_time' }), finish('insufficient_system_resource'), done],
    notes: ['finish-reason-read'],
    expect: [requestFails(['api', 'truncated'], retryable), callFails('truncated')],
  }),
  wireCase('f40', 'the finish reason is the word "null", and the stream ends', {
    evidence: ['adolfousier/opencrabs#1499', 'derived: a word for nothing is no evidence'],
    question: 'What time is it?',
    tools: [getTime],
    stream: [
      start,
      chunk({ tool_calls: [callOf('', { index: 0, name: 'get_time' })] }, { finish_reason: 'null' }),
    ],
    notes: ['finish-reason-read'],
    expect: requestFails('truncated', retryable),
  }),
  wireCase('f41', 'a filter cuts a text, in its own word for it', {
    evidence: ['https://ai.google.dev/api/generate-content (FinishReason)'],
    level: 'should',
    plain: replies({ content: 'It is ' }, 'SAFETY'),
    notes: ['finish-reason-read'],
    expect: [said('It is ', { incomplete: true }), requestFails(['truncated', 'invalid_response'])],
  }),
  wireCase('f42', 'the stream ends inside of [DONE]', {
    evidence: ['SamSaffron/term-llm#448', 'derived: the finish reason is there'],
    level: 'should',
    stream: [start, opens(oslo), finish('tool_calls'), 'data: [DO'],
    notes: ['event-passed-over'],
    expect: [ranOslo, requestFails(['truncated', 'invalid_response'], retryable)],
  }),
  wireCase('f43', 'the token limit cuts two calls that are sent side by side', {
    evidence: ['vllm-project/vllm#46303', 'ai-dynamo/dynamo#4723'],
    question: 'What time is it, and what is the weather?',
    tools: [getTime, getWeather],
    stream: [
      start,
      opens('', { name: 'get_time' }),
      opens('{"city":"Os', { index: 1, id: 'call_2' }),
      finish('length'),
      done,
    ],
    level: 'should',
    // Nobody knows whether the first call was to have arguments.
    notes: ['arguments-empty'],
    expect: [
      callFails('truncated', { mentions: ['get_weather'] }),
      callFails('truncated', { calls: [{ name: 'get_time', arguments: {} }], mentions: ['get_weather'] }),
    ],
  }),
  wireCase('f44', 'the socket stays open after the finish reason, with a comment now and then', {
    evidence: ['maximhq/bifrost#6784', 'maximhq/bifrost#5874'],
    level: 'should',
    stream: eventStream(
      [start, opens(oslo), finish('tool_calls'), { bytes: ': ping\n\n', pauseMs: 300, times: 40 }],
      { end: 'open' },
    ),
    notes: ['left-open'],
    expect: [ranOslo, requestFails('timeout', retryable)],
  }),
]
