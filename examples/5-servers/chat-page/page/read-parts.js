// Reads an event stream as objects.

/** Yields the parts of a reply as they arrive. Throws when the connection is lost. */
export async function* readParts(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  for (let rest = ''; ; ) {
    const { value, done } = await reader.read()
    if (done) throw new Error('The connection was lost. Reload the page to continue.')
    const events = (rest + value).split('\n\n')
    rest = events.pop()
    for (const event of events) {
      if (event === 'data: [DONE]') return
      if (event.startsWith('data: ')) yield JSON.parse(event.slice('data: '.length))
    }
  }
}
