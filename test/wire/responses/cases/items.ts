import { oslo, ranOslo } from '../../cases/oslo.js'
import { said } from '../../expectation.js'
import { inArea, type WireCase } from '../../wire-case.js'
import {
  added,
  callItem,
  completed,
  ends,
  event,
  message,
  messageOf,
  replies,
  start,
  streamed,
  streamedCall,
  streamedMessage,
  thinks,
} from '../response-events.js'
import { responsesWire } from '../responses-wire.js'
import { derived, guide, spec } from './evidence.js'

const wireCase = inArea('items', responsesWire)
const pairing = ['continuedev/continue#8933', 'continuedev/continue#11994', 'vercel/ai#7099']
const refusal = 'I cannot help with that.'
const refuses = messageOf([{ type: 'refusal', refusal }])
const refused = [{ calls: [], refusal }, said(refusal)]
const search = {
  id: 'ws_1',
  type: 'web_search_call',
  status: 'completed',
  action: { type: 'search', query: 'weather in Oslo' },
}
const citation = {
  type: 'url_citation',
  start_index: 0,
  end_index: 5,
  url: 'https://example.com/oslo',
  title: 'Oslo',
}
const searchEvents = [
  added({ ...search, status: 'in_progress' }),
  event('response.web_search_call.in_progress', { item_id: 'ws_1', output_index: 0 }),
  event('response.web_search_call.searching', { item_id: 'ws_1', output_index: 0 }),
  event('response.web_search_call.completed', { item_id: 'ws_1', output_index: 0 }),
  ends(search),
]

/** Items that the interface of messages does not have: reasoning, refusals, hosted calls. */
export const items: readonly WireCase[] = [
  wireCase('ri01', 'encrypted reasoning before a call goes back in its place', {
    evidence: [...pairing, guide('reasoning')],
    plain: replies([thinks(), callItem(oslo)]),
    expect: {
      ...ranOslo,
      echo: {
        'items.0.type': 'reasoning',
        'items.0.encrypted_content': 'c2VjcmV0',
        'items.1.call_id': 'call_1',
      },
    },
  }),
  wireCase('ri02', 'encrypted reasoning in a stream, complete in its last event alone', {
    evidence: ['zendev-sh/goai#145', spec('ResponseReasoningItem')],
    stream: streamed(
      [added(thinks(null)), ends(thinks()), ...streamedCall(oslo, 1)],
      [thinks(), callItem(oslo)],
    ),
    expect: { ...ranOslo, echo: { 'items.0.id': 'rs_1', 'items.0.encrypted_content': 'c2VjcmV0' } },
  }),
  wireCase('ri03', 'an empty summary goes back as an empty list', {
    evidence: ['newo-ether/Agora#141'],
    plain: replies([thinks(), callItem(oslo)]),
    expect: { ...ranOslo, echo: { 'items.0.summary.length': 0 } },
  }),
  wireCase('ri04', 'the summary of the reasoning is no text of the reply', {
    evidence: [spec('ResponseReasoningSummaryTextDeltaEvent')],
    stream: streamed(
      [
        added(thinks(null)),
        event('response.reasoning_summary_part.added', {
          item_id: 'rs_1',
          output_index: 0,
          summary_index: 0,
        }),
        event('response.reasoning_summary_text.delta', {
          ...{ item_id: 'rs_1', output_index: 0, summary_index: 0, delta: 'They ask for ' },
        }),
        event('response.reasoning_summary_text.delta', {
          ...{ item_id: 'rs_1', output_index: 0, summary_index: 0, delta: 'the weather.' },
        }),
        ...streamedMessage('Sunny.', 1),
      ],
      [],
    ),
    expect: said('Sunny.'),
  }),
  wireCase('ri05', 'reasoning between two calls keeps its place', {
    evidence: pairing,
    plain: replies([
      thinks('YQ=='),
      callItem(oslo),
      thinks('Yg==', { id: 'rs_2' }),
      callItem('{"city":"Rome"}', { id: 'fc_2', call_id: 'call_2' }),
    ]),
    expect: {
      calls: [
        { name: 'get_weather', arguments: { city: 'Oslo' } },
        { name: 'get_weather', arguments: { city: 'Rome' } },
      ],
      echo: { 'items.0.encrypted_content': 'YQ==', 'items.2.encrypted_content': 'Yg==' },
    },
  }),
  wireCase('ri06', 'reasoning without encrypted content is not sent to a server that keeps nothing', {
    evidence: ['can1357/oh-my-pi#41', 'anomalyco/opencode#7724'],
    level: 'should',
    plain: replies([thinks(null), callItem(oslo)]),
    expect: { ...ranOslo, echo: { 'items.length': 1, 'items.0.type': 'function_call' } },
  }),
  wireCase('ri07', 'a call does not name the reasoning that is left out', {
    evidence: ['vercel/ai#10829', ...pairing],
    level: 'should',
    plain: replies([thinks(null), message('Wait.', { phase: 'commentary' }), callItem(oslo)]),
    expect: { ...ranOslo, echo: { 'items.1.id': undefined, 'items.1.type': 'function_call' } },
  }),
  wireCase('ri08', 'reasoning of an open model, as text', {
    evidence: ['vllm-project/vllm#24788', spec('ResponseReasoningTextDeltaEvent')],
    plain: replies([
      thinks(null, { content: [{ type: 'reasoning_text', text: 'Weather.' }] }),
      callItem(oslo),
    ]),
    expect: { ...ranOslo, echo: { 'items.0.content.0.text': 'Weather.' } },
  }),
  wireCase('ri09', 'reasoning is all that there is', {
    evidence: ['UKGovernmentBEIS/inspect_ai#1990', 'jundot/omlx#2817'],
    level: 'should',
    plain: replies([thinks()]),
    retries: [1],
    expect: { calls: [], finalText: 'RECOVERED' },
  }),
  wireCase('ri10', 'the phase of a message goes back', {
    evidence: [spec('ResponseOutputMessage'), 'anomalyco/opencode#43343'],
    plain: replies([message('Let me look.', { phase: 'commentary' }), callItem(oslo)]),
    expect: {
      ...ranOslo,
      text: 'Let me look.',
      echo: { 'items.0.phase': 'commentary', 'items.0.content.0.text': 'Let me look.' },
    },
  }),
  wireCase('ri11', 'a plain call goes back without the id of its item', {
    evidence: ['can1357/oh-my-pi#41', derived('a server that keeps nothing knows no ids')],
    plain: replies([callItem(oslo)]),
    expect: { ...ranOslo, echo: { 'items.0.call_id': 'call_1', 'items.length': 1 } },
  }),
  wireCase('ri12', 'a refusal', {
    evidence: [spec('ResponseOutputRefusal'), 'Oaklight/llm-rosetta#435'],
    plain: replies([refuses]),
    expect: refused,
  }),
  wireCase('ri13', 'a refusal in pieces, and in no other event', {
    evidence: ['openai/openai-node#1932', 'pipecat-ai/pipecat#5801'],
    stream: [
      start,
      added(messageOf([])),
      ...['I cannot help', ' with that.'].map((delta) =>
        event('response.refusal.delta', { item_id: 'msg_1', output_index: 0, content_index: 0, delta }),
      ),
      completed(),
    ],
    expect: refused,
  }),
  wireCase('ri14', 'a refusal in pieces, and in the response', {
    evidence: ['openai/openai-agents-python#2013', spec('ResponseRefusalDoneEvent')],
    stream: streamed(
      [
        added(messageOf([])),
        event('response.content_part.added', {
          ...{ item_id: 'msg_1', output_index: 0, content_index: 0, part: { type: 'refusal', refusal: '' } },
        }),
        event('response.refusal.delta', {
          item_id: 'msg_1',
          output_index: 0,
          content_index: 0,
          delta: refusal,
        }),
        event('response.refusal.done', { item_id: 'msg_1', output_index: 0, content_index: 0, refusal }),
        ends(refuses),
      ],
      [refuses],
    ),
    expect: refused,
  }),
  wireCase('ri15', 'a search of the server before the text', {
    evidence: ['openai/openai-go#451', spec('ResponseFunctionWebSearch')],
    stream: streamed([...searchEvents, ...streamedMessage('Sunny.', 1)], [search, message('Sunny.')]),
    expect: said('Sunny.'),
  }),
  wireCase('ri16', 'a search of the server goes back before a call', {
    evidence: [spec('ResponseInputItem'), 'vercel/ai#7099'],
    plain: replies([search, callItem(oslo)]),
    expect: { ...ranOslo, echo: { 'items.0.type': 'web_search_call', 'items.0.id': 'ws_1' } },
  }),
  wireCase('ri17', 'citations of a text go back beside a call', {
    evidence: ['microsoft/agent-framework#5071', 'vercel/ai#7754'],
    plain: replies([
      messageOf([{ type: 'output_text', text: 'Sunny.', annotations: [citation] }]),
      callItem(oslo),
    ]),
    expect: { ...ranOslo, text: 'Sunny.', echo: { 'items.0.content.0.annotations.0.url': citation.url } },
  }),
  wireCase('ri18', 'citations come in events of their own', {
    evidence: ['theopenco/llmgateway#2992', spec('ResponseOutputTextAnnotationAddedEvent')],
    stream: streamed(
      [
        ...streamedMessage('Sunny.'),
        event('response.output_text.annotation.added', {
          ...{ item_id: 'msg_1', output_index: 0, content_index: 0, annotation_index: 0 },
          annotation: citation,
        }),
      ],
      [messageOf([{ type: 'output_text', text: 'Sunny.', annotations: [citation] }])],
    ),
    expect: said('Sunny.'),
  }),
  wireCase('ri19', 'an item of a type that nobody knows', {
    evidence: [derived('new types of items are added without notice'), 'openai/openai-php#732'],
    plain: replies([{ id: 'x_1', type: 'dream_call', status: 'completed', dream: {} }, callItem(oslo)]),
    expect: ranOslo,
  }),
  wireCase('ri20', 'a part of a message of a type that nobody knows', {
    evidence: [derived('ri19')],
    level: 'should',
    plain: replies([
      messageOf([
        { type: 'output_mood', mood: 1 },
        { type: 'output_text', text: 'Sunny.' },
      ]),
    ]),
    expect: said('Sunny.'),
  }),
  wireCase('ri21', 'a picture that was not made', {
    evidence: [spec('ResponseOutputItem.ImageGenerationCall')],
    plain: replies([
      { id: 'ig_1', type: 'image_generation_call', status: 'failed', result: null },
      message('It did not work.'),
    ]),
    expect: said('It did not work.'),
  }),
  wireCase('ri22', 'two messages, a comment and the final answer', {
    evidence: [spec('ResponseOutputMessage'), 'anomalyco/opencode#43343'],
    level: 'should',
    plain: replies([
      message('Looking. ', { phase: 'commentary' }),
      message('Sunny.', { id: 'msg_2', phase: 'final_answer' }),
    ]),
    expect: [said('Looking. Sunny.'), said('Sunny.')],
  }),
]
