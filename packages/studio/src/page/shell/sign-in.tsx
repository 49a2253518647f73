import { useState } from 'preact/hooks'

/**
 * Asks the user to open or paste the link from the terminal. Without the link's token, the page cannot load anything.
 */
export function SignIn() {
  const [link, setLink] = useState('')
  const token =
    /token=([\w-]+)/.exec(link)?.[1] ?? (/^[\w-]{20,}$/.test(link.trim()) ? link.trim() : undefined)
  return (
    <main class="sign-in">
      <h1>Capstan studio</h1>
      <p>
        Open the link that <code>capstan studio</code> printed in the terminal. It contains a token that gives
        this browser access.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (token) location.href = `/?token=${encodeURIComponent(token)}`
        }}
      >
        <label for="link">Or paste it here</label>
        <div class="line">
          <input
            id="link"
            type="text"
            autocomplete="off"
            value={link}
            onInput={(event) => setLink(event.currentTarget.value)}
          />
          <button type="submit" class="main" disabled={!token}>
            Open
          </button>
        </div>
      </form>
    </main>
  )
}
