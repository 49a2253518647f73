import { Agent, type ModelRequest } from '@capstan/core'

/** An agent whose model sends nothing until it is aborted; `over` resolves then, `asked` at its first request. */
export function waitingAgent() {
  let end = () => {}
  const over = new Promise<void>((resolve) => {
    end = resolve
  })
  let ask = () => {}
  const asked = new Promise<void>((resolve) => {
    ask = resolve
  })
  const model = {
    name: 'waits',
    complete: ({ signal }: ModelRequest) =>
      new Promise<never>((_resolve, reject) => {
        const stop = () => {
          end()
          reject(signal.reason)
        }
        ask()
        if (signal.aborted) stop()
        else signal.addEventListener('abort', stop)
      }),
  }
  return { agent: new Agent({ name: 'helper', model }), asked, over }
}
