from hypothesis import settings

# A first call fills caches, and the machine may be busy: time is no property of a result.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
