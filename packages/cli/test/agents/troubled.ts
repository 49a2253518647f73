import { Agent, CapstanError, type ChatModel } from '@capstan/core'

const refused: ChatModel = {
  name: 'refused',
  async complete() {
    const key = process.env.OPENAI_API_KEY
    throw new CapstanError('auth', `The key ${key} is wrong: set another one. ${'QUJD'.repeat(100)}`)
  },
}

const chatty: ChatModel = {
  name: 'chatty',
  async complete(_request, sink) {
    sink?.({ type: 'text', text: 'Once upon' })
    sink?.({ type: 'retry', attempt: 1, delayMs: 0, code: 'network', message: 'The line was cut.' })
    sink?.({ type: 'text', text: '\u001b[2JOnce again.\r\n' })
    return { message: { role: 'assistant', content: '\u001b[2JOnce again.\r\n' }, finishReason: 'length' }
  },
}

const whole: ChatModel = {
  name: 'whole',
  complete: async () => ({ message: { role: 'assistant', content: 'Said at once.' }, finishReason: 'stop' }),
}

console.log('troubled.ts is loaded')
export const wrongKey = new Agent({ model: refused })
export const cut = new Agent({ model: chatty })
export const plain = new Agent({ model: whole })
