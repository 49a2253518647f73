// An event stream, as the objects that it carries.

/** The parts of an answer as they come. Throws when it is cut off. */
export async function* readParts(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  for (let rest = ''; ; ) {
    const { value, done } = await reader.read()
    if (done) throw new Error('The connection was lost. Load the page anew to read on.')
    const events = (rest + value).split('\n\n')
    rest = events.pop()
    for (const event of events) {
      if (event === 'data: [DONE]') return
      if (event.startsWith('data: ')) yield JSON.parse(event.slice('data: '.length))
    }
  }
}
