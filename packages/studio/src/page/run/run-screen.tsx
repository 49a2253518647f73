export function RunScreen() {
  return <p class="empty">Runs</p>
}
