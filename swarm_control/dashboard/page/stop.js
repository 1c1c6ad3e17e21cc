// The stop button: above everything, also above an open dialog, and never looking as if it had been heard when it was not.
import { $, notice, setText } from "./dom.js";

const AGAIN = 1000;

export class Stop {
  /** One button for the page; it moves into the dialog that is open, as all else cannot be reached then. */
  constructor(socket, model) {
    this.socket = socket; this.model = model;
    this.button = $("stop"); this.home = this.button.parentElement;
    this.button.addEventListener("click", () => this.press());
    for (const dialog of document.querySelectorAll("dialog")) {
      new MutationObserver(() => this.place()).observe(dialog, { attributes: true, attributeFilter: ["open"], childList: true });
    }
    this.refresh();
  }

  get held() { return this.model.stopped; }

  place() {
    const open = [...document.querySelectorAll("dialog[open]")].pop() ?? this.home;
    if (this.button.parentElement !== open) open.append(this.button);
  }

  /** The first press stops; what is stopped is let go by another. */
  press() { return this.held && !this.wanted ? this.release() : this.stop(); }

  /** Ask until it is confirmed: a stop that cannot be sent now is sent as soon as the connection is back. */
  async stop() {
    if (this.wanted) return;
    this.wanted = true;
    while (this.wanted) {
      this.refresh();
      const answer = await this.socket.ask({ type: "stop", on: true });
      this.failed = answer.ok ? "" : answer.text;
      if (answer.ok) { this.wanted = false; break; }
      notice(answer.text, true);
      this.refresh();
      await new Promise((done) => { setTimeout(done, AGAIN); this.hurry = done; });
    }
    this.refresh();
  }

  /** Let go of the stops that the page has been told of, and of no others. */
  async release() {
    const answer = await this.socket.ask({ type: "stop", on: false, seen: this.model.status?.seen ?? "[]" });
    if (!answer.ok) notice(answer.text, true);
    this.refresh();
  }

  /** The connection is back, or lost. */
  link(on) { if (on && this.hurry) this.hurry(); this.refresh(); }

  refresh() {
    const { button } = this, asking = this.wanted && !this.held;
    button.classList.toggle("held", Boolean(this.held && !this.wanted));
    button.classList.toggle("asking", Boolean(asking));
    setText(button, asking ? (this.failed ? "NOT DONE – asking again" : "stopping …") : this.held ? "Let go" : "STOP");
    button.title = this.held ? "Let the robots move again" : "Stop all robots at once (S, or F8 from any field)";
  }
}
