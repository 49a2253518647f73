import { effect } from '@preact/signals'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { connection, notice, studio } from '../api/state.js'
import { formatMoment, formatMs } from '../model/format.js'
import { Dialog } from '../parts/dialog.js'
import { Icon } from '../parts/icons.js'
import { agentName } from './agent-name.js'
import { ForeignRun } from './foreign-run.js'
import { addKeys, keysOfNow } from './keys.js'
import { go, route, setQuery, toAddress } from './route.js'
import { type Place, places } from './screens.js'
import { SignIn } from './sign-in.js'
import { hasLetterKeys, nextTheme, setLetterKeys, theme } from './theme.js'

/** The frame of the page: the navigation on the left, the file and its agent at the top, and the current screen. */
export function Shell() {
  const [hasHelp, setHelp] = useState(false)
  const place = placeOfNow()
  useLayoutEffect(
    () =>
      addKeys('Everywhere', () => [
        { key: '?', does: 'show this list', run: () => setHelp(true) },
        { key: '.', does: 'change the theme', run: nextTheme },
        ...places.map(({ path, title, key }) => ({
          key: `g ${key}`,
          does: `go to ${title}`,
          run: () => go(addressOf(path)),
        })),
      ]),
    [],
  )
  useEffect(
    () =>
      effect(() => {
        document.title = `${placeOfNow().title} · Capstan studio`
      }),
    [],
  )
  if (connection.value === 'unauthorized') return <SignIn />
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <TopBar onHelp={() => setHelp(true)} />
      <nav class="places" aria-label="Places">
        {places.map((one) => (
          <PlaceLink key={one.path} place={one} isCurrent={one === place} />
        ))}
      </nav>
      <main id="main" tabIndex={-1} key={place.path}>
        <LoadError />
        <place.screen />
      </main>
      <Notice />
      <ForeignRun />
      {hasHelp ? <KeyList onClose={() => setHelp(false)} /> : null}
    </div>
  )
}

function placeOfNow(): Place {
  const [first] = route.value.path
  const place = places.find(({ path }) => path === first) ?? places[0]
  if (!place) throw new Error('The navigation has no entries.')
  return place
}

/** Returns the URL of a navigation entry, with the agent that is currently selected. */
function addressOf(path: string): string {
  return toAddress([path], { agent: route.value.query['agent'] })
}

function PlaceLink({ place, isCurrent }: { readonly place: Place; readonly isCurrent: boolean }) {
  const count = place.count?.value
  return (
    <a href={addressOf(place.path)} aria-current={isCurrent ? 'page' : undefined}>
      <Icon name={place.icon} />
      <span>{place.title}</span>
      {count ? <span class="count">{count}</span> : null}
    </a>
  )
}

function TopBar({ onHelp }: { readonly onHelp: () => void }) {
  const { file, loaded, agents, service } = studio.value ?? { agents: [] }
  const agent = agents.find(({ name }) => name === agentName())
  return (
    <header class="top">
      <a class="brand" href="/chat" aria-label="Capstan studio, chat">
        <Icon name="chat" />
        <span>capstan studio</span>
      </a>
      <span class="file" title={file}>
        {file ? file.split(/[\\/]/).at(-1) : 'no file'}
      </span>
      {loaded ? (
        <span class="loaded" title={`version ${loaded.version}`}>
          loaded {formatMoment(loaded.at)} ({formatMs(loaded.ms)})
        </span>
      ) : null}
      {agents.length > 0 ? (
        <select
          aria-label="Agent"
          value={agent?.name ?? ''}
          onChange={(event) => setQuery({ agent: event.currentTarget.value })}
        >
          {agents.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      ) : null}
      <Answering service={service} model={agent?.model} />
      <span class="spacer" />
      <Connection />
      <button
        type="button"
        class="plain"
        aria-label={`Theme: ${theme.value}`}
        title="Theme (.)"
        onClick={nextTheme}
      >
        <Icon name="theme" />
      </button>
      <button type="button" class="plain" aria-label="Keys" title="Keys (?)" onClick={onHelp}>
        <Icon name="help" />
      </button>
    </header>
  )
}

function Answering({
  service,
  model,
}: {
  readonly service: 'local' | 'address' | undefined
  readonly model: string | undefined
}) {
  if (service === 'local')
    return (
      <span
        class="badge"
        title="No API key is set, so the local service replies. It follows rules; it is not a language model."
      >
        local planner, no key
      </span>
    )
  return model ? <span class="badge">{model}</span> : null
}

function Connection() {
  const words = { connecting: 'connecting …', open: '', lost: 'not connected', unauthorized: '' }
  const text = words[connection.value]
  return (
    <span role="status" class={text ? 'badge bad' : ''}>
      {text}
    </span>
  )
}

/** Shows why the newest version of the file could not be loaded, and where the error is. */
function LoadError() {
  const error = studio.value?.loadError
  if (!error) return null
  return (
    <section class="load-error" role="alert">
      <strong>
        {studio.value?.loaded ? 'The last working version is in use.' : 'The file could not be loaded.'}
      </strong>{' '}
      {error.message} {error.place ? <code>{error.place}</code> : null}
      {error.frame ? <pre class="code">{error.frame}</pre> : null}
    </section>
  )
}

/** Shows the last message until the user hides it, and announces it to screen readers. */
function Notice() {
  const { text, isError, number } = notice.value
  const [hidden, setHidden] = useState(0)
  const isShown = text !== '' && hidden !== number
  return (
    <div class={`notice ${isError ? 'bad' : ''} ${isShown ? '' : 'away'}`}>
      <span role={isError ? 'alert' : 'status'}>{isShown ? text : ''}</span>
      {isShown ? (
        <button type="button" class="plain" aria-label="Hide the notice" onClick={() => setHidden(number)}>
          <Icon name="close" />
        </button>
      ) : null}
    </div>
  )
}

function KeyList({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      {keysOfNow().map(({ title, keys }) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl class="keys">
            {keys.map(({ key, does }) => (
              <div key={key}>
                <dt>
                  {key.split(' ').map((one) => (
                    <kbd key={one}>{one}</kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <h3>In lists</h3>
      <p>
        Arrows, <kbd>Home</kbd>, <kbd>End</kbd> and <kbd>Page</kbd> keys move the selection. Right opens a
        row, left closes it.
      </p>
      <label class="check">
        <input
          type="checkbox"
          checked={hasLetterKeys.value}
          onChange={(event) => setLetterKeys(event.currentTarget.checked)}
        />
        Use single letters as keys
      </label>
    </Dialog>
  )
}
