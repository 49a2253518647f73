import { oslo, ranOslo } from '../../cases/oslo.js'
import { callFails, ran, ranAll, requestFails } from '../../expectation.js'
import { getTime, saveNote, search } from '../../tool-shapes.js'
import { inArea, type WireCase } from '../../wire-case.js'
import {
  added,
  adds,
  callItem,
  completed,
  replies,
  start,
  streamed,
  streamedCall,
} from '../response-events.js'
import { responsesWire } from '../responses-wire.js'
import { derived, spec } from './evidence.js'

const wireCase = inArea('arguments', responsesWire)
const unicode = '{"title":"Ærø 🌦️","body":"\\u00e6 \\ud83c\\udf26"}'
const long = 'x'.repeat(60_000)

/** What is in the arguments of calls, and how they are called. */
export const argumentsOfCalls: readonly WireCase[] = [
  wireCase('rg01', 'no arguments for a tool without parameters', {
    evidence: ['vllm-project/vllm#9693', derived('args-empty-string of chat completions')],
    tools: [getTime],
    plain: replies([callItem('', { name: 'get_time' })]),
    notes: ['arguments-empty'],
    expect: ran('get_time', {}),
  }),
  wireCase('rg02', 'arguments are an object, not a text', {
    evidence: [derived('args-object of chat completions'), 'am17an/llama.cpp#50'],
    level: 'should',
    plain: replies([callItem({ city: 'Oslo' })]),
    notes: ['arguments-as-object'],
    expect: [ranOslo, requestFails('invalid_response'), callFails('invalid_arguments')],
  }),
  wireCase('rg03', 'characters beyond ASCII, raw and escaped, cut between pieces', {
    evidence: [spec('ResponseFunctionCallArgumentsDeltaEvent')],
    question: 'Save a note',
    tools: [saveNote],
    stream: streamed(streamedCall(unicode, 0, { name: 'save_note' }), [
      callItem(unicode, { name: 'save_note' }),
    ]),
    expect: ran('save_note', JSON.parse(unicode)),
  }),
  wireCase('rg04', 'arguments of 60 kB', {
    evidence: ['mattmezza/humux#77', derived('args-huge of chat completions')],
    question: 'Save a note',
    tools: [saveNote],
    stream: streamed(
      [added(callItem('', { name: 'save_note' })), adds('{"title":"t","body":"'), adds(long), adds('"}')],
      [],
    ),
    expect: ran('save_note', { title: 't', body: long }),
  }),
  wireCase('rg05', 'complete arguments that are no JSON', {
    evidence: ['LibreChat-AI/agents#280'],
    plain: replies([callItem('{"city": Oslo}')]),
    expect: callFails('invalid_arguments', { mentions: ['get_weather'] }),
  }),
  wireCase('rg06', 'arguments of the wrong type', {
    evidence: [derived('strict mode is off unless a tool asks for it'), 'open-webui/open-webui#30046'],
    plain: replies([callItem('{"city":7}')]),
    expect: callFails('invalid_arguments', { mentions: ['get_weather'] }),
  }),
  wireCase('rg07', 'a tool that is not offered', {
    evidence: ['voocel/litellm#4'],
    plain: replies([callItem(oslo, { name: 'delete_all' })]),
    expect: callFails('unknown_tool', { mentions: ['delete_all'] }),
  }),
  wireCase('rg08', 'a call without a name', {
    evidence: ['6Kmfi6HP/opencode2api#17', 'voocel/litellm#4'],
    level: 'should',
    plain: replies([callItem(oslo, { name: undefined })]),
    expect: [callFails('unknown_tool'), requestFails('invalid_response')],
  }),
  wireCase('rg09', 'a call of a custom tool, which nobody offered', {
    evidence: [spec('ResponseCustomToolCall')],
    level: 'should',
    plain: replies([
      { id: 'ctc_1', type: 'custom_tool_call', call_id: 'call_1', name: 'get_weather', input: 'Oslo' },
    ]),
    expect: [
      callFails(['invalid_arguments', 'unknown_tool'], { mentions: ['get_weather'] }),
      requestFails('invalid_response'),
    ],
  }),
  wireCase('rg10', 'two calls with one call_id', {
    evidence: [derived('asm-id-duplicate of chat completions')],
    level: 'should',
    plain: replies([callItem(oslo), callItem('{"city":"Rome"}', { id: 'fc_2' })]),
    expect: ranAll([
      ['get_weather', { city: 'Oslo' }],
      ['get_weather', { city: 'Rome' }],
    ]),
  }),
  wireCase('rg11', 'the call_id is missing, the id of the item is there', {
    evidence: ['ggml-org/llama.cpp#24882'],
    plain: replies([callItem(oslo, { call_id: undefined })]),
    expect: ranOslo,
  }),
  wireCase('rg12', 'neither id is there', {
    evidence: ['ggml-org/llama.cpp#24882', derived('rg11')],
    level: 'should',
    plain: replies([callItem(oslo, { call_id: undefined, id: undefined })]),
    notes: ['id-missing'],
    expect: ranOslo,
  }),
  wireCase('rg13', 'a key named __proto__', {
    evidence: [derived('args-proto-key of chat completions')],
    plain: replies([callItem('{"city":"Oslo","__proto__":{"polluted":true}}')]),
    expect: [
      ran('get_weather', JSON.parse('{"city":"Oslo","__proto__":{"polluted":true}}')),
      ranOslo,
      callFails('invalid_arguments'),
    ],
  }),
  wireCase('rg14', 'half a surrogate pair in the arguments', {
    evidence: [derived('args-lone-surrogate of chat completions')],
    tools: [search],
    plain: replies([callItem('{"query":"a\\ud83c"}', { name: 'search' })]),
    expect: { calls: [{ name: 'search', lengths: { query: 2 } }], wellFormed: true },
  }),
  wireCase('rg15', 'an empty piece comes first and last', {
    evidence: [spec('ResponseFunctionCallArgumentsDeltaEvent')],
    stream: [start, added(callItem('')), adds(''), adds(oslo), adds(''), completed([callItem(oslo)])],
    expect: ranOslo,
  }),
  wireCase('rg16', 'the arguments are there from the first event, and come again in pieces', {
    evidence: [derived('gateways that make streams of plain answers')],
    level: 'should',
    stream: streamed([added(callItem(oslo)), adds(oslo)], [callItem(oslo)]),
    expect: ranOslo,
  }),
]
