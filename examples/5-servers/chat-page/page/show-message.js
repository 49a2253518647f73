// Messages as elements. Each part has one, made when it arrives and updated from then on.
import { describe, isCall, isRunning, waits } from './message.js'

const elements = new WeakMap()

/** Updates the element of a message, or makes it. */
export function showMessage(message, { isLive, decided }) {
  const ariaLabel = message.role === 'user' ? 'You' : 'Answer'
  const article = elementOf(message, () => element('article', { className: message.role, ariaLabel }))
  for (const part of message.parts) {
    if (part.type === 'text')
      write(
        elementOf(part, () => added(article, element('p'))),
        part.text,
      )
    if (part.type === 'file') elementOf(part, () => added(article, toFile(message, part)))
    if (isCall(part))
      showCall(
        elementOf(part, () => added(listIn(article), toItem(part))),
        part,
        { isLive, decided },
      )
  }
  return article
}

function elementOf(thing, make) {
  if (!elements.has(thing)) elements.set(thing, make())
  return elements.get(thing)
}

/** Writes changed text only: screen readers must not read the same text again. */
function write(place, text) {
  if (place.textContent !== text) place.textContent = text
}

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children)
  return made
}

function added(parent, child) {
  parent.append(child)
  return child
}

/** Returns the list of consecutive calls. */
function listIn(article) {
  const last = article.lastElementChild
  if (last?.matches('.calls')) return last
  return added(article, element('ul', { className: 'calls', ariaLabel: 'Tool calls' }))
}

function toFile(message, part) {
  const { url: src, mediaType } = part
  const words = describe(message, part)
  if (mediaType.startsWith('image/')) return element('figure', {}, element('img', { src, alt: words }))
  if (!mediaType.startsWith('audio/')) return element('a', { href: src, download: '' }, words)
  const player = element('audio', { src, controls: true, preload: 'metadata', ariaLabel: words })
  return element('figure', {}, player, element('figcaption', {}, words))
}

function toItem({ toolName }) {
  const spans = ['arguments', 'state', 'time'].map((className) => element('span', { className }))
  return element('li', {}, element('code', {}, toolName), ...spans, element('p', { className: 'note' }))
}

function showCall(item, call, { isLive, decided }) {
  const { ms, input, errorText, approval } = call
  const state = stateOf(call, isLive)
  const denial = state === 'denied' && approval.reason ? `Denied: ${approval.reason}` : ''
  const time = ms === undefined ? '' : `${(ms / 1000).toFixed(1)} s`
  const texts = { arguments: shorten(JSON.stringify(input ?? '')), state, time, note: errorText ?? denial }
  for (const [name, text] of Object.entries(texts)) write(item.querySelector(`.${name}`), text)
  item.dataset.state = state
  const question = item.querySelector('fieldset')
  if (!waits(call)) question?.remove()
  else if (!question) item.append(toQuestion(call, decided))
}

function stateOf(call, isLive) {
  if (waits(call)) return 'waits'
  if (isRunning(call)) return isLive ? 'running' : 'cut off'
  return { 'output-available': 'done', 'output-error': 'failed' }[call.state] ?? 'denied'
}

/** Shows a pending call with all its arguments. */
function toQuestion(call, decided) {
  const reason = element('input', { autocomplete: 'off', maxLength: 1000 })
  const button = (words, approved) =>
    element('button', { type: 'button', onclick: () => decided(call, approved, reason.value.trim()) }, words)
  return element(
    'fieldset',
    {},
    element('legend', {}, `Allow ${call.toolName}?`),
    element('p', {}, call.question ?? ''),
    element('pre', {}, JSON.stringify(call.input, null, 2)),
    element('label', {}, 'Reason, if you deny', reason),
    button('Approve', true),
    button('Deny', false),
  )
}

function shorten(text) {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
