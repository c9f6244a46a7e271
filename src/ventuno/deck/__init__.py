"""Our own deck for a print shop: the faces and back of the pages, with codes that scanners and cameras read (X-27).

`art.json` is drawn by the client (`npm run art`), `letters.json` by its font: nothing here is drawn a second time.
"""
