// The page: sends messages of the user, and shows replies as they arrive.
import { decide, isCall, isRunning, take, waits } from './message.js'
import { readParts } from './read-parts.js'
import { showMessage } from './show-message.js'

const ids = ['log', 'ideas', 'trouble', 'status', 'composer', 'words', 'stop', 'send', 'anew']
const [log, ideas, trouble, status, composer, words, stop, send, anew] = ids.map((id) =>
  document.getElementById(id),
)

/** The conversation, stored while the tab is open. `isAsked`: a reply is in progress. */
const chat = JSON.parse(sessionStorage.getItem('chat')) ?? newChat()
let isBusy = false
let isAtEnd = true
let runId

composer.addEventListener('submit', (event) => {
  event.preventDefault()
  say(words.value.trim())
})
words.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
  event.preventDefault()
  say(words.value.trim())
})
ideas.addEventListener('click', ({ target }) => {
  if (target.matches('button')) say(target.textContent)
})
stop.addEventListener('click', () => {
  fetch(`agent/runs/${runId}`, { method: 'DELETE' }).catch(tell)
  words.focus()
})
anew.addEventListener('click', () => {
  sessionStorage.removeItem('chat')
  location.reload()
})
addEventListener('scroll', () => {
  isAtEnd = innerHeight + scrollY > document.body.scrollHeight - 100
})
new ResizeObserver(() => isAtEnd && scrollTo(0, document.body.scrollHeight)).observe(log)

show()
if (chat.isAsked) follow(fetch(`agent/ui/${chat.id}/stream`), true)
words.focus()

function newChat() {
  return { id: crypto.randomUUID(), messages: [], isAsked: false }
}

function say(text) {
  if (text === '' || isBusy || openCalls().length > 0) return
  chat.messages.push({ id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text }] })
  words.value = ''
  isAtEnd = true
  ask()
}

function decided(call, approved, reason) {
  decide(call, approved, reason)
  show()
  if (openCalls().length === 0) ask()
}

function openCalls() {
  return chat.messages.at(-1)?.parts.filter(waits) ?? []
}

// #region ask
function ask() {
  // A reload continues to read the reply while this is stored.
  keep(true)
  const body = JSON.stringify({ id: chat.id, messages: chat.messages })
  const headers = { 'content-type': 'application/json' }
  follow(fetch('agent/ui', { method: 'POST', headers, body }), false)
  words.focus()
}
// #endregion

function keep(isAsked) {
  chat.isAsked = isAsked
  sessionStorage.setItem('chat', JSON.stringify(chat))
}

/** Shows a reply until its end. */
async function follow(asking, isReplayed) {
  isBusy = true
  trouble.textContent = ''
  show()
  await read(asking, isReplayed).catch(tell)
  isBusy = false
  runId = undefined
  show()
}

// #region read
/** Reads a reply into the conversation. A lost connection leaves the stored conversation unchanged. */
async function read(asking, isReplayed) {
  const response = await asking
  if (response.status !== 200) keep(false)
  if (response.status === 204) throw new Error('The reply ended before the page was reloaded. Ask again.')
  if (!response.ok) throw new Error(await response.text())
  runId = response.headers.get('x-run-id')
  for await (const part of readParts(response.body)) {
    if (part.type === 'start') begin(part.messageId)
    if (part.type === 'error') trouble.textContent = part.errorText
    take(chat.messages.at(-1), part, isReplayed ? undefined : Date.now())
    show()
  }
  keep(false)
}
// #endregion

/** Adds a new message, unless the last one continues. */
function begin(id) {
  if (chat.messages.at(-1)?.id !== id) chat.messages.push({ id, role: 'assistant', parts: [] })
}

function tell({ message }) {
  trouble.textContent = message
}

function show() {
  const last = chat.messages.at(-1)
  const continues = isBusy || openCalls().length > 0
  for (const message of chat.messages) {
    const shown = showMessage(message, { isLive: continues && message === last, decided })
    if (!shown.isConnected) log.append(shown)
  }
  // Screen readers read the whole reply, not each word of it.
  log.ariaBusy = String(isBusy)
  ideas.hidden = chat.messages.length > 0
  stop.hidden = !runId
  for (const control of [send, anew, ...log.querySelectorAll('fieldset')]) control.disabled = isBusy
  const text = toStatus(last)
  if (status.textContent !== text) status.textContent = text
}

function toStatus(last) {
  const names = (calls) => calls.map(({ toolName }) => toolName).join(', ')
  const running = last?.parts.filter((part) => isCall(part) && isRunning(part)) ?? []
  if (isBusy) return running.length > 0 ? `Running: ${names(running)}` : 'Thinking'
  if (openCalls().length > 0) return `Approval needed: ${names(openCalls())}`
  const { stopReason, limit } = last?.metadata ?? {}
  if (!stopReason || trouble.textContent) return ''
  return { done: 'Done', aborted: 'Stopped' }[stopReason] ?? `Ended early: ${limit ?? stopReason}`
}
