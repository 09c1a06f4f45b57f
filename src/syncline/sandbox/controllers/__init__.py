"""The cluster's own controllers, simulated: one file each.

Belongs here: what plays kube-controller-manager, scheduler and kubelet. Each controller names the changes it looks at
and brings one object one step closer (`syncline.sandbox.controllers.runtime` calls it). They write through
`syncline.sandbox.controllers.client`, so that their changes have owners and reach watchers like everybody else's.
"""
