# The Windows Firewall: profiles, and every rule with its protocol and port.

function Get-FirewallSection {
    $found = Get-FirewallObject
    # Ports are separate objects with the id of their rule. Reading them one by one would take minutes.
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
        # 2 is NotConfigured, in policies only: the default of Windows applies, which is on (Set-NetFirewallProfile).
        Profiles = @($found.Profiles | Select-Object -Property 'Name', @{ Name = 'Enabled'; Expression = { [int]$_.Enabled -ne 0 } })
        Rules    = @($rules)
        Store    = $found.Store
    }
}

# The active store has the rules of this computer and of group policies. Without the cmdlets only the rules of this computer can be
# read, and Store reports that.
function Get-FirewallObject {
    if ($null -ne (Get-Command -Name Get-NetFirewallRule -ErrorAction Ignore)) {
        return [pscustomobject]@{
            Store    = 'ActiveStore'
            Profiles = @(Get-NetFirewallProfile -PolicyStore ActiveStore)
            Filters  = @(Get-NetFirewallPortFilter -PolicyStore ActiveStore)
            # 4 and 5 are rules that Windows generates for its own services.
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
