// Imported before all else: the page's policy forbids evaluated text, and the validators try it as soon as the first
// schema is made.
import { z } from "zod";

z.config({ jitless: true });
