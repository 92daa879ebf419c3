# The Windows Firewall: profiles, and every rule with its protocol and port.

function Get-FirewallSection {
    $found = Get-FirewallObject
    # Ports are objects of their own, under the id of their rule. Asked for one by one they would take minutes.
    $ports = @{}
    foreach ($filter in $found.Filters) { $ports[$filter.InstanceID] = $filter }
    $rules = foreach ($rule in $found.Rules) {
        $filter = $ports[$rule.InstanceID]
        [pscustomobject]@{
            Name                  = $rule.InstanceID
            DisplayName           = $rule.DisplayName
            Enabled               = [int]$rule.Enabled -eq 1
            Direction             = ConvertTo-EnumName -Kind RuleDirection -Value $rule.Direction
            Action                = ConvertTo-EnumName -Kind RuleAction -Value $rule.Action
            Protocol              = Get-Field -InputObject $filter -Name Protocol
            LocalPort             = [string]::Join(',', @(Get-Field -InputObject $filter -Name LocalPort))
            PolicyStoreSourceType = ConvertTo-EnumName -Kind RuleSource -Value (Get-Field -InputObject $rule -Name PolicyStoreSourceType)
        }
    }
    [pscustomobject]@{
        # A profile that is not configured (2, in policies) has what Windows does by default, which is on.
        Profiles = @($found.Profiles | Select-Object -Property 'Name', @{ Name = 'Enabled'; Expression = { [int]$_.Enabled -ne 0 } })
        Rules    = @($rules)
        Store    = $found.Store
    }
}

# The active store has what counts: rules of this computer and of the domain's policies. Where it cannot be had, the classes
# tell what is set on this computer, and the section says that it is no more than that.
function Get-FirewallObject {
    if ($null -ne (Get-Command -Name Get-NetFirewallRule -ErrorAction Ignore)) {
        return [pscustomobject]@{
            Store    = 'ActiveStore'
            Profiles = @(Get-NetFirewallProfile -PolicyStore ActiveStore)
            Filters  = @(Get-NetFirewallPortFilter -PolicyStore ActiveStore)
            # Windows hardens its own services with rules that it generates; they are about those services alone.
            Rules    = @(Get-NetFirewallRule -PolicyStore ActiveStore | Where-Object -FilterScript { [int]$_.PolicyStoreSourceType -lt 4 })
        }
    }
    [pscustomobject]@{
        Store    = 'PersistentStore'
        Profiles = @(Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetFirewallProfile)
        Filters  = @(Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetProtocolPortFilter)
        Rules    = @(Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetFirewallRule)
    }
}
