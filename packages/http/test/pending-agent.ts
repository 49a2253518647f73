import { Agent, type ModelRequest } from '@capstan/core'

/** An agent whose model sends nothing until it is aborted; `over` resolves then. */
export function waitingAgent() {
  let end = () => {}
  const over = new Promise<void>((resolve) => {
    end = resolve
  })
  const model = {
    name: 'waits',
    complete: ({ signal }: ModelRequest) =>
      new Promise<never>((_resolve, reject) => {
        const stop = () => {
          end()
          reject(signal.reason)
        }
        if (signal.aborted) stop()
        else signal.addEventListener('abort', stop)
      }),
  }
  return { agent: new Agent({ name: 'helper', model }), over }
}
