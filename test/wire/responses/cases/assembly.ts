import { oslo, ranBoth, ranOslo, rome } from '../../cases/oslo.js'
import { ran, ranAll, said } from '../../expectation.js'
import { getTime, getWeather, saveNote } from '../../tool-shapes.js'
import { inArea, type WireCase } from '../../wire-case.js'
import {
  added,
  adds,
  callItem,
  completed,
  ends,
  event,
  message,
  messageOf,
  says,
  start,
  streamed,
  streamedCall,
  streamedMessage,
} from '../response-events.js'
import { responsesWire } from '../responses-wire.js'
import { derived, spec } from './evidence.js'

const wireCase = inArea('assembly', responsesWire)
const second = { id: 'fc_2', call_id: 'call_2' }
const both = [callItem(oslo), callItem(rome, second)]
const emptyOutput = [
  'QuantumNous/new-api#4362',
  'open-webui/open-webui#27800',
  'BerriAI/litellm#32724',
  'mcowger/plexus#644',
]

/** Items that come in pieces, in other orders, and more than once. */
export const assembly: readonly WireCase[] = [
  wireCase('ra01', 'a call in pieces, then whole, then in the response', {
    evidence: [spec('ResponseFunctionCallArgumentsDeltaEvent'), spec('ResponseOutputItemDoneEvent')],
    stream: streamed(streamedCall(oslo), [callItem(oslo)]),
    expect: ranOslo,
  }),
  wireCase('ra02', 'a text in pieces, then whole, then in the response', {
    evidence: [spec('ResponseTextDeltaEvent'), spec('ResponseCompletedEvent')],
    stream: streamed(streamedMessage('It is sunny in Oslo.'), [message('It is sunny in Oslo.')]),
    expect: said('It is sunny in Oslo.'),
  }),
  wireCase('ra03', 'the response at the end has an empty output: a call', {
    evidence: emptyOutput,
    stream: streamed(streamedCall(oslo), []),
    expect: ranOslo,
  }),
  wireCase('ra04', 'the response at the end has an empty output: a text', {
    evidence: emptyOutput,
    stream: streamed(streamedMessage('It is sunny.'), []),
    expect: said('It is sunny.'),
  }),
  wireCase('ra05', 'the response at the end has no output at all', {
    evidence: ['ENTERPILOT/GoModel#831'],
    stream: [start, ...streamedCall(oslo), completed([], { output: undefined })],
    expect: ranOslo,
  }),
  wireCase('ra06', 'the items come with the response alone', {
    evidence: [derived('a server that streams its last event only')],
    stream: [start, completed([callItem(oslo)])],
    expect: ranOslo,
  }),
  wireCase('ra07', 'the items come whole, without pieces', {
    evidence: ['lidge-jun/opencodex#4652', derived('ra06')],
    stream: streamed([ends(callItem(oslo)), ends(callItem(rome, second), 1)], both),
    expect: ranBoth,
  }),
  wireCase('ra08', 'the arguments come in the last event of their pieces alone', {
    evidence: ['lidge-jun/opencodex#4652', spec('ResponseFunctionCallArgumentsDoneEvent')],
    stream: [
      start,
      added(callItem('')),
      event('response.function_call_arguments.done', {
        item_id: 'fc_1',
        output_index: 0,
        arguments: oslo,
      }),
      completed(),
    ],
    expect: ranOslo,
  }),
  wireCase('ra09', 'no item is ever said to be done', {
    evidence: ['ogx-ai/ogx#5309', derived('ra03')],
    stream: [start, added(callItem('')), adds('{"city":'), adds('"Oslo"}'), completed()],
    expect: ranOslo,
  }),
  wireCase('ra10', 'two calls, their pieces mixed', {
    evidence: [spec('ResponseFunctionCallArgumentsDeltaEvent'), 'ddutchie/cairn#127'],
    stream: streamed(
      [
        added(callItem('')),
        added(callItem('', second), 1),
        adds('{"city":'),
        adds('{"city":"Ro', { item_id: 'fc_2', output_index: 1 }),
        adds('"Oslo"}'),
        adds('me"}', { item_id: 'fc_2', output_index: 1 }),
        ends(callItem(oslo)),
        ends(callItem(rome, second), 1),
      ],
      both,
    ),
    expect: ranBoth,
  }),
  wireCase('ra11', 'no event has an output_index: ids alone tell two calls apart', {
    evidence: ['ddutchie/cairn#127'],
    stream: [
      start,
      event('response.output_item.added', { item: callItem('') }),
      event('response.output_item.added', { item: callItem('', second) }),
      adds('{"city":"Rome"}', { item_id: 'fc_2', output_index: undefined }),
      adds('{"city":"Oslo"}', { output_index: undefined }),
      completed(),
    ],
    expect: ranBoth,
  }),
  wireCase('ra12', 'neither index nor id: pieces belong to the item before them', {
    evidence: ['ddutchie/cairn#127', derived('ra11')],
    level: 'should',
    stream: [
      start,
      event('response.output_item.added', { item: callItem('', { id: undefined }) }),
      adds('{"city":', { output_index: undefined, item_id: undefined }),
      adds('"Oslo"}', { output_index: undefined, item_id: undefined }),
      completed(),
    ],
    notes: ['call-by-order'],
    expect: ranOslo,
  }),
  wireCase('ra13', 'pieces name an item by another id than it was added with', {
    evidence: ['6Kmfi6HP/opencode2api#17', 'vllm-project/vllm#47916'],
    stream: streamed(
      [
        added(callItem('')),
        adds('{"city":', { item_id: 'call_1' }),
        adds('"Oslo"}', { item_id: 'call_1' }),
        ends(callItem(oslo)),
      ],
      [callItem(oslo)],
    ),
    expect: ranOslo,
  }),
  wireCase('ra14', 'the response at the end has other ids than its stream', {
    evidence: ['vllm-project/vllm#47916'],
    stream: streamed(streamedCall(oslo), [callItem(oslo, { id: 'fc_9', call_id: 'call_9' })]),
    notes: ['call-again'],
    expect: ranOslo,
  }),
  wireCase('ra15', 'the whole item has no id', {
    evidence: ['vllm-project/vllm#44608', 'ggml-org/llama.cpp#24882'],
    stream: streamed(
      [added(callItem('')), adds(oslo), ends(callItem(oslo, { id: null }))],
      [callItem(oslo, { id: null })],
    ),
    expect: ranOslo,
  }),
  wireCase('ra16', 'the name comes with the first event alone', {
    evidence: ['voocel/litellm#4'],
    stream: [
      start,
      added(callItem('')),
      adds(oslo),
      ends(callItem(oslo, { name: undefined })),
      completed([]),
    ],
    expect: ranOslo,
  }),
  wireCase('ra17', 'the name comes with the last event of the arguments', {
    evidence: [spec('ResponseFunctionCallArgumentsDoneEvent'), 'voocel/litellm#4'],
    level: 'should',
    stream: [
      start,
      added(callItem('', { name: '' })),
      adds(oslo),
      event('response.function_call_arguments.done', {
        item_id: 'fc_1',
        output_index: 0,
        name: 'get_weather',
        arguments: oslo,
      }),
      completed([]),
    ],
    expect: ranOslo,
  }),
  wireCase('ra18', 'the second item begins before the first', {
    evidence: ['openai/openai-agents-python#3161'],
    stream: streamed([...streamedCall(rome, 1, second), ...streamedCall(oslo, 0)], both),
    expect: ranBoth,
  }),
  wireCase('ra19', 'the calls begin at output_index 3', {
    evidence: [derived('hosted calls come first, and some gateways leave them out')],
    stream: streamed([...streamedCall(oslo, 3), ...streamedCall(rome, 5, second)], both),
    expect: ranBoth,
  }),
  wireCase('ra20', 'a text before a call', {
    evidence: [spec('ResponseOutputItem')],
    stream: streamed(
      [...streamedMessage('Let me look.'), ...streamedCall(oslo, 1)],
      [message('Let me look.'), callItem(oslo)],
    ),
    expect: { ...ranOslo, text: 'Let me look.' },
  }),
  wireCase('ra21', 'a text of two parts', {
    evidence: [spec('ResponseOutputMessage')],
    stream: [
      start,
      added(messageOf([])),
      says('It is ', { content_index: 0 }),
      says('sunny.', { content_index: 1 }),
      completed(),
    ],
    expect: said('It is sunny.'),
  }),
  wireCase('ra22', 'each item is sent twice', {
    evidence: [derived('ra01: gateways repeat events after a reconnection')],
    level: 'should',
    stream: streamed([...streamedCall(oslo), ends(callItem(oslo)), ends(callItem(oslo))], [callItem(oslo)]),
    expect: ranOslo,
  }),
  wireCase('ra23', 'three calls of other tools, one without parameters', {
    evidence: [spec('ResponseFunctionToolCall')],
    tools: [getWeather, getTime, saveNote],
    stream: streamed(
      [
        ...streamedCall(oslo),
        ...streamedCall('{}', 1, { ...second, name: 'get_time' }),
        ...streamedCall('{"title":"hosts"}', 2, { id: 'fc_3', call_id: 'call_3', name: 'save_note' }),
      ],
      [],
    ),
    expect: ranAll([
      ['get_weather', { city: 'Oslo' }],
      ['get_time', {}],
      ['save_note', { title: 'hosts' }],
    ]),
  }),
  wireCase('ra24', 'events are JSON without names', {
    evidence: [derived('proxies that pass on data lines alone'), 'openai/openai-go#585'],
    stream: streamed(streamedCall(oslo), [callItem(oslo)]).map((one) => one.replace(/^event: .*\n/, '')),
    expect: ran('get_weather', { city: 'Oslo' }),
  }),
]
